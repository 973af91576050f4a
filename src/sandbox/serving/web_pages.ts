import type { IncomingMessage } from "node:http";

const LOCAL_HOST = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?`;
const HOST = new RegExp(`^${LOCAL_HOST}$`, "i");
const ORIGIN = new RegExp(`^https?://${LOCAL_HOST}$`, "i");

/** Whether a server that listens at `hostname` is reachable from this machine only. */
export function isLoopback(hostname: string): boolean {
  return HOST.test(hostname) || hostname === "::1";
}

/**
 * Why a request may come from a foreign web page; `undefined` if it cannot. Requests need no credentials here, so the
 * user's browser must not send any for others: neither through a host name that resolves to this machine (DNS
 * rebinding) nor with a POST, which a page may send anywhere.
 *
 * Upstream: `kubectl proxy`, which accepts these hosts (`--accept-hosts`) and ignores origins.
 */
export function webPageObjection({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const { host = "localhost", origin } = headers;
  if (!HOST.test(host)) {
    return "the Host header must name localhost or a loopback address: another name may be a web page's";
  }
  if (origin !== undefined && !ORIGIN.test(origin)) {
    return "the Origin header says that a web page of another site sent this";
  }
  return undefined;
}
