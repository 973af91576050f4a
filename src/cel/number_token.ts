import type { TokenKind } from "./tokens.ts";

const isDigit = (c: string | undefined) => c !== undefined && c >= "0" && c <= "9";
const isHex = (c: string | undefined) =>
  isDigit(c) || c !== undefined && (c >= "a" && c <= "f" || c >= "A" && c <= "F");

/** The kind and length of the number at a position, if there is one. */
export function lengthOfNumber(
  characters: readonly string[],
  at: number,
): readonly [TokenKind, number] | undefined {
  const hex = hexEnd(characters, at);
  if (hex > at) return whole(characters, at, hex);
  const digits = runEnd(characters, at);
  const fraction = characters[digits] === "." && isDigit(characters[digits + 1])
    ? runEnd(characters, digits + 1)
    : digits;
  if (fraction === at) return undefined;
  const exponent = exponentEnd(characters, fraction);
  if (exponent > digits) return ["double", exponent - at];
  return whole(characters, at, digits);
}

function whole(characters: readonly string[], at: number, end: number): readonly [TokenKind, number] {
  const isUnsigned = characters[end] === "u" || characters[end] === "U";
  return isUnsigned ? ["uint", end + 1 - at] : ["int", end - at];
}

function hexEnd(characters: readonly string[], at: number): number {
  if (characters[at] !== "0" || characters[at + 1] !== "x" || !isHex(characters[at + 2])) return at;
  let end = at + 2;
  while (isHex(characters[end])) end++;
  return end;
}

function runEnd(characters: readonly string[], at: number): number {
  while (isDigit(characters[at])) at++;
  return at;
}

function exponentEnd(characters: readonly string[], at: number): number {
  if (characters[at] !== "e" && characters[at] !== "E") return at;
  const sign = characters[at + 1] === "+" || characters[at + 1] === "-" ? 1 : 0;
  return isDigit(characters[at + 1 + sign]) ? runEnd(characters, at + 1 + sign) : at;
}
