/** A pattern that is read from left to right. */
export class PatternText {
  readonly source: string;
  /** What was not read yet. */
  rest: string;

  constructor(source: string) {
    this.source = source;
    this.rest = source;
  }

  /** Reads so many UTF-16 code units. */
  take(length: number): string {
    const taken = this.rest.slice(0, length);
    this.rest = this.rest.slice(length);
    return taken;
  }
}
