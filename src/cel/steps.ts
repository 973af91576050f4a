/** An expression that takes longer than anybody needs: types of types grow with the power of its depth. */
export class TooManyStepsError extends Error {
  override readonly name = "TooManyStepsError";

  constructor(limit: number) {
    super(`the expression takes more than ${limit} steps to check; make it shorter or nest it less deeply`);
  }
}

/** Counts what checking an expression takes. */
export class Steps {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws {TooManyStepsError} If it was one too many. */
  take(): void {
    if (++this.#taken > this.#limit) throw new TooManyStepsError(this.#limit);
  }
}
