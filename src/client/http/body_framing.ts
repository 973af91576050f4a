import { ConnectionError } from "../connection_error.ts";
import type { ResponseHead } from "./response_head.ts";

/** How the end of a body is determined. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" };

/**
 * The framing of the body that follows `head`. Specification: RFC 9112, section 6.3, interpreted strictly: a length
 * together with a transfer coding, differing lengths, and codings other than chunked are refused.
 *
 * @throws {ConnectionError} Failure `protocol`.
 */
export function framingOf(head: ResponseHead, method: string): BodyFraming {
  const { status, headers } = head;
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return { kind: "none" };
  const codings = headers.get("transfer-encoding");
  const lengths = headers.get("content-length");
  if (codings) {
    const isChunked = codings.length === 1 && codings[0].toLowerCase() === "chunked" && !head.isHttp10;
    if (!isChunked || lengths) {
      throw new ConnectionError("protocol", `unsupported transfer encoding ${JSON.stringify(codings.join(", "))}`);
    }
    return { kind: "chunked" };
  }
  if (!lengths) return { kind: "close" };
  const length = lengths.every((text) => text === lengths[0]) && /^\d{1,15}$/.test(lengths[0])
    ? Number(lengths[0])
    : NaN;
  if (Number.isNaN(length)) {
    throw new ConnectionError("protocol", `bad Content-Length ${JSON.stringify(lengths.join(", "))}`);
  }
  return length === 0 ? { kind: "none" } : { kind: "length", length };
}

/** Whether the connection may carry another request after this response. */
export function keepsAlive(head: ResponseHead, framing: BodyFraming): boolean {
  if (framing.kind === "close" || head.status === 101) return false;
  const options = (head.headers.get("connection") ?? []).join(",").toLowerCase().split(",").map((text) => text.trim());
  return head.isHttp10 ? options.includes("keep-alive") : !options.includes("close");
}
