/** Lists on the command line are one record of comma-separated values, read like Go's `encoding/csv` in pflag. */

/** A text is not such a record. */
export class ListError extends Error {
  override readonly name = "ListError";
}

/**
 * The values of a record, separated by commas. A value that starts with a quote ends at the next quote that is not
 * doubled.
 *
 * @throws {ListError} In Go's words, with the column in bytes.
 *
 * @example
 * ```ts
 * import { readList } from "./flag_lists.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readList('a,"b,c",,"d""e"'), ["a", "b,c", "", 'd"e']);
 * assertEquals(readList(""), []);
 * ```
 */
export function readList(text: string): string[] {
  if (text === "") return [];
  const values: string[] = [];
  const field = /"((?:[^"]|"")*)("?)|([^,\n]*)/y;
  while (true) {
    const start = field.lastIndex;
    const [, quoted, close, plain] = field.exec(text)!;
    const end = field.lastIndex;
    if (quoted === undefined) {
      const bare = plain.indexOf('"');
      if (bare !== -1) throw malformed(text, start + bare, 'bare " in non-quoted-field');
      values.push(plain);
    } else {
      const isEnd = end === text.length || text[end] === "," || text[end] === "\n";
      // For an unterminated quote, the error names the end of the text.
      if (close === "" || !isEnd) {
        throw malformed(text, close === "" ? end : end - 1, 'extraneous or missing " in quoted-field');
      }
      values.push(quoted.replaceAll('""', '"'));
    }
    // Text after a line break would be another record.
    if (text[end] !== ",") return values;
    field.lastIndex = end + 1;
  }
}

function malformed(text: string, at: number, what: string): ListError {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = new TextEncoder().encode(before.slice(before.lastIndexOf("\n") + 1)).length + 1;
  return new ListError(`parse error on line ${line}, column ${column}: ${what}`);
}

/** The record with `values`, quoted as Go does. */
export function writeList(values: readonly string[]): string {
  return values.map((value) => NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value).join(",");
}

const NEEDS_QUOTES = /^\s|[,"\r\n]|^\\\.$/;
