import type { IncomingMessage } from "node:http";

/**
 * The request that Node has read, as one of `fetch`, at `origin` whatever host was asked for; `undefined` if it can be none:
 * `fetch` has no TRACE, for one.
 *
 * Upstream: Go's `net/http`, which takes a target with scheme and host for one without them.
 */
export function nodeRequest(
  message: IncomingMessage,
  origin: string,
  method = message.method ?? "GET",
): Request | undefined {
  const { rawHeaders } = message;
  try {
    const headers = new Headers();
    for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? ReadableStream.from<Uint8Array<ArrayBuffer>>(message) : undefined;
    return new Request(`${origin}${pathOf(message.url ?? "/")}`, { method, headers, body });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Path and query of a request's target. What begins with two slashes is a path, not a host. */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/");
}
