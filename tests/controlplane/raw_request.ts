/** Requests byte by byte: `fetch` would tidy up what a test wants to ask for. */
import { connect } from "node:tls";

export interface RawAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** Sends a request whose first line is `line`, without the version, and waits until the connection ends. */
export async function rawRequest(
  { port, ca }: { readonly port: number; readonly ca: string },
  { line, token }: { readonly line: string; readonly token?: string },
): Promise<RawAnswer> {
  const bearer = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const headers = ["Host: localhost", "Connection: close", ...bearer];
  const text = await exchange({ port, ca }, [`${line} HTTP/1.1`, ...headers, "", ""].join("\r\n"));
  const [head, body = ""] = text.split(/\r\n\r\n(.*)/s);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    location: /^location: (.*)$/im.exec(head)?.[1],
    body,
  };
}

function exchange({ port, ca }: { readonly port: number; readonly ca: string }, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost" }, () => socket.write(text));
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => answer += chunk);
  socket.on("error", reject);
  socket.on("close", () => resolve(answer));
  return promise;
}
