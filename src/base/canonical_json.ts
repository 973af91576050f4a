import { type JsonForm, writeJson } from "./json_writer.ts";
import { compareUtf8 } from "./text.ts";

// Everything that Go's encoder escapes; an unpaired surrogate becomes the replacement character, as in Go.
// deno-lint-ignore no-control-regex
const ESCAPED = /["\\<>&\u0000-\u001f\u2028\u2029]|\p{Surrogate}/gu;
// A map and not an object: V8 15.0 reads the JSON key "\u0026" as "\\" once it has seen an object with that key.
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * Formats a JSON value as Go's encoder formats a map: keys sorted by UTF-8 bytes, no white space, `<`, `>` and `&`
 * escaped. Keys whose value is `undefined` are left out. Integers of any size keep all digits.
 *
 * ControllerRevisions need these exact bytes; `JSON.stringify` would put keys like `10` first.
 *
 * @example
 * ```ts
 * import { canonicalJson } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(canonicalJson({ b: [1, null], a: "<x>", 10: true }), '{"10":true,"a":"\\u003cx\\u003e","b":[1,null]}');
 * ```
 */
export function canonicalJson(value: unknown): string {
  return writeJson(value, CANONICAL);
}

const CANONICAL: JsonForm = { keys: (object) => Object.keys(object).sort(compareUtf8), text: jsonString };

function jsonString(text: string): string {
  return `"${text.replace(ESCAPED, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return "\\ufffd";
  return SHORT_ESCAPES.get(character) ?? `\\u${code.toString(16).padStart(4, "0")}`;
}
