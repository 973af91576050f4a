import type { IncomingMessage } from "node:http";

const LOCAL_HOST = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?`;
const HOST = new RegExp(`^${LOCAL_HOST}$`, "i");
const ORIGIN = new RegExp(`^https?://${LOCAL_HOST}$`, "i");

/** Whether only this machine can reach a server that listens at `hostname`. */
export function isLoopback(hostname: string): boolean {
  return HOST.test(hostname) || hostname === "::1";
}

/**
 * Why a request may come from somebody else's web page, if it may. Who asks needs no credentials here, so that the browser of
 * whoever runs the server must not ask for others: neither by a name of theirs that resolves to this machine (DNS rebinding),
 * nor by a POST that a page may send anywhere.
 *
 * Upstream: `kubectl proxy`, which takes these hosts (`--accept-hosts`) and does not look at origins.
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
