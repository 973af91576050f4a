import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Peer, peerOf } from "./peer.ts";
import { nodeRequest } from "./node_request.ts";
import { requestPath } from "./request_path.ts";

/** Longer than any path and query that is served here. Strangers may send this much without authentication. */
const MAX_TARGET_BYTES = 8 << 10;
/** `fetch`'s headers compare each name with all before it: a thousand of them cost 200 ms. Clients send a dozen. */
const MAX_HEADER_NAMES = 200;

/** Answers a request. For TRACE, the request is a GET. A rejection closes the connection. */
export type HttpsHandler = (request: Request, peer: Peer) => Promise<Response>;

/** Lets `handler` answer a request that Node has read, unless it is malformed; never rejects. */
export async function answer(
  message: IncomingMessage,
  out: ServerResponse,
  handler: HttpsHandler,
): Promise<void> {
  if (message.method === "OPTIONS" && message.url === "*") {
    return void out.writeHead(200, { "content-length": 0 }).end();
  }
  const { method = "GET", url: target = "/" } = message;
  if (target.length > MAX_TARGET_BYTES) return turnAway(out, 414, "Request URI Too Long");
  if (Object.keys(message.headers).length > MAX_HEADER_NAMES) {
    return turnAway(out, 431, "Request Header Fields Too Large");
  }
  const path = requestPath(target);
  const request = nodeRequest(message, "https://localhost", method === "TRACE" ? "GET" : method);
  if (path === undefined || !request) return turnAway(out, 400, "Bad Request");
  try {
    await send(await handler(request, peerOf(message, { method, target, path })), message, out);
  } catch {
    // An incomplete answer can only be signalled by closing the connection.
    out.destroy();
  }
}

/** Refuses a malformed request in the words of Go's servers. */
function turnAway(out: ServerResponse, status: number, reason: string): void {
  const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
  out.writeHead(status, reason, headers).end(`${status} ${reason}`);
}

async function send(response: Response, message: IncomingMessage, out: ServerResponse): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = Object.fromEntries(response.headers);
  // Unread parts of a body would be parsed as the next request; after a protocol upgrade, Node reads no further
  // request.
  const isLast = !message.complete || message.headers.upgrade !== undefined;
  out.writeHead(response.status, { ...headers, ...isLast && { connection: "close" }, "content-length": body.length });
  out.end(message.method === "HEAD" ? undefined : body);
}

/** Answers a client whose data is not HTTP. */
export function refuse(error: Error, socket: Duplex): void {
  const code = "code" in error ? error.code : undefined;
  // Ignores further data, which would be refused again and again.
  socket.removeAllListeners("data");
  if (!socket.writable || typeof code !== "string" || !code.startsWith("HPE_")) return void socket.destroy();
  const said = code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const head = ["Content-Type: text/plain; charset=utf-8", "Connection: close"].join("\r\n");
  socket.end(`HTTP/1.1 ${said}\r\n${head}\r\n\r\n${said}`, () => socket.destroy());
}
