import { parseJson } from "../../../base/mod.ts";
import { yamlText } from "../decoding/mod.ts";
import type { ApiError } from "../base/mod.ts";

/** How to send a response, besides its body. */
export interface AnswerOptions {
  readonly status?: number;
  readonly yaml?: boolean;
  /** Whether JSON has line breaks and indentation. */
  readonly pretty?: boolean;
  readonly warnings?: Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON or YAML response from JSON text. */
export function answerText(
  json: string,
  { status = 200, yaml = false, pretty = false, warnings = [], headers = {} }: AnswerOptions = {},
): Response {
  const out = new Headers(headers);
  if (!out.has("content-type")) out.set("content-type", yaml ? "application/yaml" : "application/json");
  for (const warning of warningHeaders(warnings)) out.append("warning", warning);
  const text = yaml ? yamlText(json) : pretty ? JSON.stringify(parseJson(json), null, 2) : json;
  return sizedText(text, { status, headers: out });
}

const encoder = new TextEncoder();

/** A response that says how long it is, so that a client can take it whole instead of as a stream. */
export function sizedText(
  text: string,
  { status = 200, headers }: { readonly status?: number; readonly headers: Headers },
): Response {
  headers.set("content-length", String(encoder.encode(text).length));
  return new Response(text, { status, headers });
}

/** A response from a value. */
export function answerJson(value: unknown, options: AnswerOptions = {}): Response {
  return answerText(JSON.stringify(value), options);
}

/** An error response with its Status. */
export function answerError(error: ApiError, options: AnswerOptions = {}): Response {
  const seconds = error.details?.retryAfterSeconds;
  const headers: Record<string, string> = seconds ? { "retry-after": String(seconds) } : {};
  return answerJson(error.status, { ...options, status: error.code, headers });
}

/** A `Success` status. */
export function answerSuccess(options: AnswerOptions & { readonly details?: object } = {}): Response {
  const { details, status: code } = options;
  const rest = { ...details ? { details } : {}, ...code ? { code } : {} };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", ...rest };
  return answerJson(status, options);
}

/** The length of all warnings together; if they exceed it, each is cut to {@link LONGEST_WARNING}. */
const MOST_CHARACTERS = 4096;
const LONGEST_WARNING = 256;
// deno-lint-ignore no-control-regex -- control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/** The values of the `Warning` headers. Upstream: `apiserver/pkg/endpoints/filters/warning.go`. */
export function warningHeaders(warnings: Iterable<string>): string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== "" && !CONTROL.test(text)).map((text) => [...text]);
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= MOST_CHARACTERS) return texts.map(warningHeader);
  const headers: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= MOST_CHARACTERS) break;
    const cut = text.slice(0, LONGEST_WARNING);
    written += cut.length;
    headers.push(warningHeader(cut));
  }
  return headers;
}

function warningHeader(characters: readonly string[]): string {
  const text = characters.join("").replace(/[\\"]/g, "\\$&");
  // A header consists of bytes, so each character here stands for a byte of the text's UTF-8.
  const bytes = /^[\x20-\x7e]*$/.test(text) ? text : String.fromCharCode(...new TextEncoder().encode(text));
  return `299 - "${bytes}"`;
}
