/**
 * `text` in lines of at most `columns` columns, broken at spaces where there are any; all but the first begin with `indent` spaces.
 * Takes linear time.
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

/** As much of `text` from its start as fits, and one character at least. */
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
/** Of Unicode's East Asian Width, as far as fonts of terminals have them; and emoji. */
const TWO =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}$/u;

/** How many columns of a terminal `text` takes. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += NONE.test(character) ? 0 : TWO.test(character) ? 2 : 1;
  return columns;
}
