import type { Location, SourceText } from "./source_text.ts";

/** The most errors reported. Upstream: maxErrorsToReport. */
const MOST_TOLD = 100;

/** The errors in an expression. Upstream: `common/errors.go`. */
export class Issues {
  readonly #source: SourceText;
  readonly #told: { readonly location: Location; readonly message: string }[] = [];
  #count = 0;

  constructor(source: SourceText) {
    this.#source = source;
  }

  /** Adds an error at the character `offset`; if negative, without a position. */
  add(offset: number, message: string): void {
    if (++this.#count <= MOST_TOLD) this.#told.push({ location: this.#source.location(offset), message });
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** All errors, in the order of their positions. */
  toString(): string {
    const byPlace = this.#told.toSorted((a, b) =>
      a.location.line - b.location.line || a.location.column - b.location.column
    );
    const texts = byPlace.map(({ location, message }) => this.#source.display(location, message));
    if (this.#count > MOST_TOLD) texts.push(`${this.#count - MOST_TOLD} more errors were truncated`);
    return texts.join("\n");
  }
}
