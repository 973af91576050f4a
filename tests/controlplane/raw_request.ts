/** Requests byte by byte: `fetch` would tidy up what a test wants to ask for. */
import { connect } from "node:tls";

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
  /** The value of a header, if it was sent. */
  header(name: string): string | undefined;
}

export interface RawRequest {
  /** The first line, without the version. */
  readonly line: string;
  readonly token?: string;
  /** More headers, each a whole line. */
  readonly headers?: readonly string[];
}

/** Sends a request and waits until the connection ends. */
export async function rawRequest(
  server: { readonly port: number; readonly ca: string },
  { line, token, headers = [] }: RawRequest,
): Promise<RawAnswer> {
  const bearer = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const lines = [`${line} HTTP/1.1`, "Host: localhost", "Connection: close", ...bearer, ...headers, "", ""];
  const [head, body = ""] = (await exchange(server, lines.join("\r\n"))).split(/\r\n\r\n(.*)/s);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    body,
    header: (name) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1],
  };
}

/** Sends `text`, from an address of this machine, and gives all that comes back until the connection ends. */
export function exchange(
  { port, ca }: { readonly port: number; readonly ca: string },
  text: string,
  localAddress = "127.0.0.1",
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  // TLS passes on what it is given to the connection below, which its type does not say.
  const options = { host: "127.0.0.1", port, ca, servername: "localhost" } as const;
  const socket = connect({ ...options, ...{ localAddress } }, () => socket.write(text));
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => answer += chunk);
  socket.on("error", reject);
  socket.on("close", () => resolve(answer));
  return promise;
}
