/** A pattern that Go would not compile; the message is what Go says. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``);
  }
}
