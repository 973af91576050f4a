import type { IncomingMessage } from "node:http";

/**
 * Converts a request that Node has read to a `fetch` request at `origin`, whatever host it names; `undefined` if that
 * is impossible, as for TRACE.
 *
 * Upstream: Go's `net/http`, which ignores a target's scheme and host.
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

/** The path and query of a request's target. Two leading slashes start a path, not a host. */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/");
}
