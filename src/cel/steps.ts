/** An expression takes too many steps: nested types grow exponentially with its depth. */
export class TooManyStepsError extends Error {
  override readonly name = "TooManyStepsError";

  constructor(limit: number) {
    super(`the expression takes more than ${limit} steps to check; make it shorter or nest it less deeply`);
  }
}

/** Counts the steps of checking an expression: in all, and for each part, which cannot be interrupted. */
export class Steps {
  readonly #limit: number;
  readonly #limitOfPart: number;
  #taken = 0;
  #ofPart = 0;

  constructor(limit: number, limitOfPart = limit) {
    this.#limit = limit;
    this.#limitOfPart = limitOfPart;
  }

  /** Begins another part of the expression. */
  begin(): void {
    this.#ofPart = 0;
  }

  /** @throws {TooManyStepsError} If the limit is exceeded. */
  take(): void {
    if (++this.#ofPart > this.#limitOfPart) throw new TooManyStepsError(this.#limitOfPart);
    if (++this.#taken > this.#limit) throw new TooManyStepsError(this.#limit);
  }
}
