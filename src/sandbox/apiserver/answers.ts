import { toYaml } from "./body.ts";
import type { ApiError } from "./errors.ts";

/** How an answer is sent, besides its body. */
export interface AnswerOptions {
  readonly status?: number;
  readonly yaml?: boolean;
  readonly warnings?: Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON (or YAML) answer from JSON text. */
export function answerText(
  json: string,
  { status = 200, yaml = false, warnings = [], headers = {} }: AnswerOptions = {},
): Response {
  const out = new Headers(headers);
  if (!out.has("content-type")) out.set("content-type", yaml ? "application/yaml" : "application/json");
  for (const warning of warnings) out.append("warning", `299 - "${warning.replace(/[\\"]/g, "\\$&")}"`);
  return new Response(yaml ? toYaml(json) : json, { status, headers: out });
}

/** An answer from a value. */
export function answerJson(value: unknown, options: AnswerOptions = {}): Response {
  return answerText(JSON.stringify(value), options);
}

/** A refusal as its Status. */
export function answerError(error: ApiError, options: AnswerOptions = {}): Response {
  const seconds = error.details?.retryAfterSeconds;
  const headers: Record<string, string> = seconds ? { "retry-after": String(seconds) } : {};
  return answerJson(error.status, { ...options, status: error.code, headers });
}

/** A plain `Success`. */
export function answerSuccess(options: AnswerOptions & { readonly details?: object } = {}): Response {
  const { details, status: code } = options;
  const rest = { ...details ? { details } : {}, ...code ? { code } : {} };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", ...rest };
  return answerJson(status, options);
}
