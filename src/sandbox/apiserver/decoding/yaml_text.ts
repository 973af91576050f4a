/**
 * JSON as YAML, written the way Go's emitter writes it: keys sorted, lists not indented, and quotes only where a plain word would
 * be read as something else. Upstream: `sigs.k8s.io/yaml` (JSONToYAML).
 *
 * @example
 * ```ts
 * import { yamlText } from "./yaml_text.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(yamlText({ b: ["1", "x"], a: {} }), 'a: {}\nb:\n- "1"\n- x\n');
 * ```
 */
export function yamlText(value: unknown): string {
  if (isEmptyOrScalar(value)) return `${inline(value, 0, 0)}\n`;
  return block(value, 0);
}

/** Words and numbers that stand for something else than a text. */
const NOT_TEXT =
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|<<|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|0o?[0-7_]+|\d[\d_]*)|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|\d{4}-\d\d?-\d\d?(?:(?:[Tt]|\s+)\d\d?:\d\d:\d\d(?:\.\d*)?\s*(?:Z|[-+]\d\d?(?::\d\d)?)?)?|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?)$/;
const NEEDS_SINGLE_QUOTES = /^[-?:](?:\s|$)|^[,[\]{}#&*!|>'"%@`]|^---|^\.\.\.|:(?:\s|$)|\s#|^\s|\s$/;
// deno-lint-ignore no-control-regex -- control characters are what it looks for
const UNPRINTABLE = /[\x00-\x09\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff]/;

function isEmptyOrScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** A map or list with members, at some indentation. */
function block(value: unknown, indent: number): string {
  const pad = " ".repeat(indent);
  if (Array.isArray(value)) return value.map((item) => `${pad}- ${itemText(item, indent + 2)}`).join("");
  const entries = Object.entries(value as Record<string, unknown>).sort(([a], [b]) => compareKeys(a, b));
  return entries.map(([key, member]) => {
    const start = `${pad}${quoted(key)}:`;
    return start + after(member, indent, start.length);
  }).join("");
}

/** What follows `- `. */
function itemText(item: unknown, indent: number): string {
  return isEmptyOrScalar(item) ? `${inline(item, indent, indent)}\n` : block(item, indent).slice(indent);
}

/** What follows a key, which ends at some column. */
function after(member: unknown, indent: number, column: number): string {
  if (isEmptyOrScalar(member)) return ` ${inline(member, indent + 2, column + 1)}\n`;
  return `\n${block(member, Array.isArray(member) ? indent : indent + 2)}`;
}

/** A value without members, whose further lines are indented. */
function inline(value: unknown, indent: number, column: number): string {
  if (typeof value === "string") return scalar(value, indent, column);
  if (value === null || value === undefined) return "null";
  if (typeof value === "object" && !Object.keys(value).length) return Array.isArray(value) ? "[]" : "{}";
  return JSON.stringify(value);
}

function scalar(text: string, indent: number, column: number): string {
  const isLiteral = text.includes("\n") && indent > 0 && !UNPRINTABLE.test(text) && !/ \n| $|^\s/.test(text);
  return isLiteral ? literal(text, indent) : folded(quoted(text), indent, column);
}

/** A text on one line. */
function quoted(text: string): string {
  if (UNPRINTABLE.test(text) || text.includes("\n") || NOT_TEXT.test(text)) return JSON.stringify(text);
  return NEEDS_SINGLE_QUOTES.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Where lines are broken that go on. */
const WIDTH = 80;

/** Breaks a text at the first space after each {@link WIDTH} characters, as Go's emitter does. */
function folded(text: string, indent: number, column: number): string {
  if (column + text.length <= WIDTH) return text;
  const quote = /^["']/.exec(text)?.[0] ?? "";
  const [first, last] = [quote.length, text.length - 1 - quote.length];
  let out = "";
  let at = column;
  for (let i = 0; i < text.length; i++) {
    const [before, next] = [text[i - 1], text[i + 1]];
    const isEdge = quote !== "" && (i === first || i === last);
    const canBreak = text[i] === " " && before !== " " && !isEdge && (quote === '"' || next !== " ");
    if (!canBreak || at <= WIDTH) {
      out += text[i];
      at++;
      continue;
    }
    const mark = next === " " ? "\\" : "";
    out += `\n${" ".repeat(indent)}${mark}`;
    at = indent + mark.length;
  }
  return out;
}

/** A text of several lines: `|`, with a mark for how it ends. */
function literal(text: string, indent: number): string {
  const mark = !text.endsWith("\n") ? "-" : text.endsWith("\n\n") ? "+" : "";
  const lines = text.replace(/\n$/, "").split("\n");
  return `|${mark}\n${lines.map((line) => line === "" ? "" : " ".repeat(indent) + line).join("\n")}`;
}

const LETTER = /\p{L}/u;
const DIGITS = /^\d+/;

/** As Go's emitter orders keys: what is no letter before letters, and numbers by their value. */
function compareKeys(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    if (a[i] === b[i]) continue;
    const [aLetter, bLetter] = [LETTER.test(a[i]), LETTER.test(b[i])];
    if (aLetter !== bLetter) return bLetter ? -1 : 1;
    const [aNumber, bNumber] = [a, b].map((key) => Number(DIGITS.exec(key.slice(i))?.[0] ?? 0));
    return (aLetter ? 0 : aNumber - bNumber) || (a[i] < b[i] ? -1 : 1);
  }
  return a.length - b.length;
}
