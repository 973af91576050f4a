/** A pattern that is no regular expression of Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``);
  }
}
