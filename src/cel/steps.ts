/** An expression that takes longer than anybody needs: types of types grow with the power of its depth. */
export class TooManyStepsError extends Error {
  override readonly name = "TooManyStepsError";

  constructor(limit: number) {
    super(`the expression takes more than ${limit} steps to check; make it shorter or nest it less deeply`);
  }
}

/** Counts what checking an expression takes: all of it, and each of its parts, which nothing interrupts. */
export class Steps {
  readonly #limit: number;
  readonly #limitOfPart: number;
  #taken = 0;
  #ofPart = 0;

  constructor(limit: number, limitOfPart = limit) {
    this.#limit = limit;
    this.#limitOfPart = limitOfPart;
  }

  /** Another part of the expression is begun. */
  begin(): void {
    this.#ofPart = 0;
  }

  /** @throws {TooManyStepsError} If it was one too many. */
  take(): void {
    if (++this.#ofPart > this.#limitOfPart) throw new TooManyStepsError(this.#limitOfPart);
    if (++this.#taken > this.#limit) throw new TooManyStepsError(this.#limit);
  }
}
