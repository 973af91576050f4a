import type { TokenKind } from "./tokens.ts";

const QUOTES = new Set(['"', "'"]);
const ESCAPED = new Set([..."abfnrtv\"'\\?`"]);
const is = (low: string, high: string) => (c: string | undefined) => c !== undefined && c >= low && c <= high;
const isOctal = is("0", "7");
const isHex = (c: string | undefined) => is("0", "9")(c) || is("a", "f")(c) || is("A", "F")(c);
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** The kind and length of the string at a position; no kind if it is unterminated. */
export function lengthOfString(
  characters: readonly string[],
  at: number,
): readonly [TokenKind | undefined, number] | undefined {
  let open = at;
  const isBytes = characters[open] === "b" || characters[open] === "B";
  if (isBytes) open++;
  const isRaw = characters[open] === "r" || characters[open] === "R";
  if (isRaw) open++;
  const quote = characters[open];
  if (!QUOTES.has(quote)) return undefined;
  const kind = isBytes ? "bytes" : "string";
  const isTriple = characters[open + 1] === quote && characters[open + 2] === quote;
  const triple = isTriple ? closedAt(characters, open + 3, { quote, times: 3, isRaw }) : undefined;
  const end = triple ?? closedAt(characters, open + 1, { quote, times: 1, isRaw });
  if (end !== undefined) return [kind, end - at];
  return [undefined, unclosedEnd(characters, open + 1, quote) - at];
}

interface Closing {
  readonly quote: string;
  readonly times: 1 | 3;
  readonly isRaw: boolean;
}

function closedAt(characters: readonly string[], at: number, { quote, times, isRaw }: Closing): number | undefined {
  while (at < characters.length) {
    const isClosed = characters[at] === quote &&
      (times === 1 || characters[at + 1] === quote && characters[at + 2] === quote);
    if (isClosed) return at + times;
    if (times === 1 && (characters[at] === "\n" || characters[at] === "\r")) return undefined;
    if (characters[at] === "\\" && !isRaw) {
      const length = escapeLength(characters, at);
      if (length === 0) return undefined;
      at += length;
    } else at++;
  }
  return undefined;
}

/** The length of the escape sequence at a position; `undefined` if it is invalid. */
function escapeLength(characters: readonly string[], at: number): number {
  const what = characters[at + 1];
  if (what === undefined) return 0;
  if (ESCAPED.has(what)) return 2;
  if (is("0", "3")(what)) return isOctal(characters[at + 2]) && isOctal(characters[at + 3]) ? 4 : 0;
  const digits = HEX_DIGITS[what] ?? 0;
  for (let i = 0; i < digits; i++) if (!isHex(characters[at + 2 + i])) return 0;
  return digits === 0 ? 0 : 2 + digits;
}

/** Where an unterminated string ends. */
function unclosedEnd(characters: readonly string[], at: number, quote: string): number {
  while (at < characters.length && characters[at] !== "\n" && characters[at] !== "\r" && characters[at] !== quote) at++;
  return Math.min(at + 1, characters.length);
}
