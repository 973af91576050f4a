/** One warning of an API server: the code, an anonymous agent, and a quoted text. */
const WARNING = /299 - "((?:[^"\\]|\\.)*)"/g;

/**
 * The texts in a Warning header with code 299, the only one that API servers send. Upstream:
 * `apimachinery/pkg/util/net/http.go` (ParseWarningHeaders).
 *
 * @example
 * ```ts
 * import { warningTexts } from "./warning_texts.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(warningTexts('299 - "one", 299 - "say \\"two\\""'), ["one", 'say "two"']);
 * ```
 */
export function warningTexts(header: string): string[] {
  return [...header.matchAll(WARNING)].map(([, quoted]) => utf8(quoted.replaceAll(/\\(.)/g, "$1")));
}

/** Headers hold bytes, one per character. */
function utf8(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}
