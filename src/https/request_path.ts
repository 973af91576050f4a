import { decodeHex } from "@std/encoding/hex";

/** Scheme and authority, which may be absent; the path. */
const TARGET = /^(?:[a-z][a-z0-9+.-]*:\/\/([^/?]*))?([^?]*)/i;
/** An authority's `host:port`, after the last `@`; each part may be empty. */
const HOST = /^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The unescaped path of a request's target as Go's servers see it: unlike a `URL`, keeps dots, repeated slashes and
 * `#`. Invalid UTF-8 becomes U+FFFD.
 *
 * Upstream: `url.ParseRequestURI` of Go's `net/url`.
 *
 * @returns `undefined` for a target that they refuse with 400.
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
