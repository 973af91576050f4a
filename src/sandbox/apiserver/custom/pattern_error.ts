/** A pattern that is not a valid regular expression in Go. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``);
  }
}
