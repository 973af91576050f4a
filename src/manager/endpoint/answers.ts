/** The endpoint's responses, with the headers that all of them have. */

/** No response of the endpoint may be cached. */
export const NO_CACHE = { "cache-control": "no-cache, private" } as const;

const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

/** Plain text. */
export function textAnswer(
  text: string,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...NO_CACHE, ...headers },
  });
}

/** A refusal as plain text, formatted like Go's `http.Error`. */
export function refusal(status: number, text: string): Response {
  return textAnswer(`${text}\n`, { status, headers: { ...NO_SNIFFING } });
}

/** A temporary refusal in the API server's words. It closes the connection, because there are too many. */
export function tooMany(): Response {
  const text = "Too many requests, please try again later.\n";
  return textAnswer(text, { status: 429, headers: { ...NO_SNIFFING, "retry-after": "1", connection: "close" } });
}

export function notFound(): Response {
  return refusal(404, "404 page not found");
}

/** Programs that people use interactively. */
const FOR_PEOPLE = /^(curl|Wget|Mozilla\/5\.0)/;

/**
 * `value` as JSON; indented if a person reads it, judging by `?pretty` or the User-Agent.
 * Upstream: `k8s.io/apiserver/pkg/endpoints/handlers/negotiation` (isPrettyPrint).
 */
export function jsonText({ url, headers }: Request, value: unknown): string {
  const wish = new URL(url).searchParams.get("pretty");
  const isPretty = wish === null
    ? FOR_PEOPLE.test(headers.get("user-agent") ?? "")
    : !["0", "false"].includes(wish.toLowerCase());
  return isPretty ? JSON.stringify(value, null, 2) : JSON.stringify(value) + "\n";
}

/** A refusal in the form that Kubernetes clients expect. */
export interface Refused {
  readonly reason: string;
  readonly message: string;
  readonly hasDetails?: boolean;
}

/** A Status of the API. */
export function statusOf(code: number, { reason, message, hasDetails = false }: Refused): Record<string, unknown> {
  const details = hasDetails ? { details: {} } : {};
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, ...details, code };
}

/** An answer that is a Status. */
export function statusAnswer(request: Request, code: number, refused: Refused): Response {
  return new Response(jsonText(request, statusOf(code, refused)), {
    status: code,
    headers: { "content-type": "application/json", ...NO_CACHE, ...refused.hasDetails ? NO_SNIFFING : {} },
  });
}

export function jsonAnswer(value: unknown): Response {
  return new Response(JSON.stringify(value), {
    headers: { "content-type": "application/json", ...NO_CACHE, ...NO_SNIFFING },
  });
}
