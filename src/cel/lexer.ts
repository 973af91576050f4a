import { lengthOfNumber } from "./number_token.ts";
import { lengthOfString } from "./string_token.ts";
import { keyword, SIGNS, type Token, type TokenKind } from "./tokens.ts";

/** A place where no token begins, and the characters read there. */
export interface LexicalError {
  readonly offset: number;
  readonly text: string;
}

const SPACE = new Set([" ", "\t", "\r", "\n", "\f"]);
const isLetter = (c: string | undefined) => c !== undefined && (c >= "a" && c <= "z" || c >= "A" && c <= "Z");
const isDigit = (c: string | undefined) => c !== undefined && c >= "0" && c <= "9";
const isInName = (c: string | undefined) => isLetter(c) || isDigit(c) || c === "_";
const isEscaped = (c: string | undefined) => isInName(c) || c === "." || c === "-" || c === "/" || c === " ";

/** How many tokens are read between two points where the work may be interrupted. */
const TOKENS_IN_A_ROW = 64;

/**
 * The tokens of an expression, including the end token, and the lexical errors. Upstream: the lexer rules of
 * `parser/gen/CEL.g4`.
 */
export function* tokensOf(characters: readonly string[]): Generator<void, {
  readonly tokens: readonly Token[];
  readonly errors: readonly LexicalError[];
}> {
  const tokens: Token[] = [];
  const errors: LexicalError[] = [];
  for (let at = 0; at < characters.length;) {
    const skipped = skip(characters, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    if (tokens.length % TOKENS_IN_A_ROW === 0) yield;
    const [kind, length] = tokenAt(characters, at);
    const text = characters.slice(at, at + length).join("");
    if (kind) tokens.push({ kind: kind === "ident" ? keyword(text) ?? kind : kind, text, offset: at });
    else errors.push({ offset: at, text });
    at += length;
  }
  tokens.push({ kind: "end", text: "<EOF>", offset: characters.length });
  return { tokens, errors };
}

function skip(characters: readonly string[], at: number): number {
  while (SPACE.has(characters[at])) at++;
  if (characters[at] !== "/" || characters[at + 1] !== "/") return at;
  while (at < characters.length && characters[at] !== "\n") at++;
  return at;
}

/** The kind and length of the token at a position; no kind if there is none. */
function tokenAt(characters: readonly string[], at: number): readonly [TokenKind | undefined, number] {
  const number = lengthOfNumber(characters, at);
  if (number) return number;
  const string = lengthOfString(characters, at);
  if (string) return string;
  const first = characters[at];
  if (isLetter(first) || first === "_") {
    let end = at + 1;
    while (isInName(characters[end])) end++;
    return ["ident", end - at];
  }
  if (first === "`") {
    let end = at + 1;
    while (isEscaped(characters[end])) end++;
    return characters[end] === "`" && end > at + 1 ? ["escaped", end + 1 - at] : [undefined, end - at];
  }
  const pair = first + characters[at + 1];
  const sign = SIGNS.find((one) => one === pair) ?? SIGNS.find((one) => one === first);
  return sign ? [sign, sign.length] : [undefined, 1];
}
