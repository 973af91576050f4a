/** Needs no escaping. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Characters that Go's `strconv.IsPrint` rejects, and those that are always escaped. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/**
 * `text` in double quotes as Go's `strconv.Quote` and `%q` write it: log lines and upstream's error messages contain
 * many of these, so plain text has a fast path.
 *
 * @example
 * ```ts
 * import { goQuote } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(goQuote('say "hi"\n'), '"say \\"hi\\"\\n"');
 * ```
 */
export function goQuote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${text.replace(ESCAPED, escape)}"`;
}

function escape(char: string): string {
  const short = SHORT[char];
  if (short) return short;
  const code = char.codePointAt(0)!;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"; // half a character: Go's strings cannot hold it
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
