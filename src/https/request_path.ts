import { decodeHex } from "@std/encoding/hex";

/** Scheme and authority, which may be absent; the path. */
const TARGET = /^(?:[a-z][a-z0-9+.-]*:\/\/([^/?]*))?([^?]*)/i;
/** `host:port` of an authority, behind the last `@`; each part may be empty. */
const HOST = /^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The path of a request's target, unescaped, as Go's servers see it: dots, repeated slashes and `#` stay in it, where a
 * `URL` would tidy up. Bytes that are no UTF-8 become U+FFFD.
 *
 * Upstream: `url.ParseRequestURI` of Go's `net/url`.
 *
 * @returns `undefined` for a target that they answer with 400.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { requestPath } from "./request_path.ts";
 *
 * assertEquals(requestPath("/%68ealthz?verbose"), "/healthz");
 * assertEquals(requestPath("//healthz/.."), "//healthz/..");
 * assertEquals(requestPath("/healthz%"), undefined);
 * ```
 */
export function requestPath(target: string): string | undefined {
  const [, authority, path] = TARGET.exec(target)!;
  if (authority !== undefined && !HOST.test(authority.slice(authority.lastIndexOf("@") + 1))) return undefined;
  if (BROKEN_ESCAPE.test(path)) return undefined;
  return path.replace(ESCAPES, (escapes) => UTF8.decode(decodeHex(escapes.replaceAll("%", ""))));
}
