/** Orders strings as Go does, by their UTF-8 bytes; JavaScript's own order differs for characters beyond U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    // A surrogate stands for a character beyond U+FFFF, which comes after all others.
    if (isSurrogate(left) !== isSurrogate(right)) return isSurrogate(left) ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

// A map and not an object, see canonical_json.ts.
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/**
 * `text` in double quotes as Go's `%q` prints it; upstream's error messages quote values this way.
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
  const escaped = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (c) => {
    const short = SHORT_ESCAPES.get(c);
    if (short !== undefined) return short;
    const code = c.codePointAt(0)!;
    const hex = (digits: number) => code.toString(16).padStart(digits, "0");
    if (isSurrogate(code)) return "\ufffd";
    if (code < 0x20 || code === 0x7f) return `\\x${hex(2)}`;
    return code > 0xffff ? `\\U${hex(8)}` : `\\u${hex(4)}`;
  });
  return `"${escaped}"`;
}
