/**
 * Wraps `text` to lines of at most `columns` columns, at spaces if possible. All lines except the first start with
 * `indent` spaces. Takes linear time.
 *
 * @example
 * ```ts
 * import { wrap } from "./wrap.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(wrap("one two three", { columns: 8, indent: 1 }), ["one two", " three"]);
 * ```
 */
export function wrap(
  text: string,
  { columns, indent = 0 }: { readonly columns: number; readonly indent?: number },
): string[] {
  const room = Math.max(1, columns - indent);
  const lines: string[] = [];
  let rest = text;
  for (let width = columns;; width = room) {
    const whole = longestStart(rest, width);
    if (whole.length === rest.length) break;
    const space = rest.lastIndexOf(" ", whole.length);
    const line = space > 0 && rest.slice(0, space).trim() !== "" ? rest.slice(0, space) : whole;
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  if (rest !== "" || lines.length === 0) lines.push(rest);
  return lines.map((line, index) => index === 0 ? line : " ".repeat(Math.min(indent, columns - 1)) + line);
}

/** The longest start of `text` that fits, but at least one character. */
function longestStart(text: string, columns: number): string {
  let end = 0;
  let width = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (end > 0 && width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Wide characters by Unicode's East Asian Width, as far as terminal fonts have them, and emoji. */
const TWO =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}$/u;

/** The width of `text` in terminal columns. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += NONE.test(character) ? 0 : TWO.test(character) ? 2 : 1;
  return columns;
}
