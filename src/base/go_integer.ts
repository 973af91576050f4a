/** Digits of the largest integers of 64 bits. */
const MOST_DIGITS = 19;

/**
 * Parses a 64-bit integer like Go's `strconv.ParseInt`; `undefined` if it is malformed or does not fit. A quarter of a
 * megabyte of digits, which fits in an annotation, takes linear time; `BigInt` would take far longer.
 *
 * @example
 * ```ts
 * import { parseInt64 } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(["+7", "-007", "9223372036854775808", "1e3", ""].map(parseInt64), [7n, -7n, undefined, undefined, undefined]);
 * ```
 */
export function parseInt64(text: string): bigint | undefined {
  let at = /^[+-]/.test(text) ? 1 : 0;
  while (at < text.length - 1 && text[at] === "0") at++;
  const digits = text.slice(at);
  if (digits.length > MOST_DIGITS || !/^\d+$/.test(digits)) return undefined;
  const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
