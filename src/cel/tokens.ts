/** The kinds of tokens; keywords and signs stand for themselves. */
export type TokenKind = "end" | "ident" | "escaped" | "int" | "uint" | "double" | "string" | "bytes" | Sign | Keyword;

/** The signs of the language, longest first. */
export const SIGNS = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "<",
  ">",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
] as const;

type Sign = typeof SIGNS[number];

const KEYWORDS = ["in", "true", "false", "null"] as const;

type Keyword = typeof KEYWORDS[number];

/** The name as a keyword, if it is one. */
export function keyword(name: string): Keyword | undefined {
  return KEYWORDS.find((word) => word === name);
}

/** A token of the language. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Its position, in characters. */
  readonly offset: number;
}
