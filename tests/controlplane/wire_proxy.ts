/**
 * Stands between a client and kube-apiserver and damages what passes, byte by byte.
 *
 * It speaks plain HTTP/1.1 to the client and HTTP/1.0 over TLS to the server, so that it sees the body's bytes bare and
 * chooses the chunks itself.
 */
import { Accepting } from "./accepting.ts";
import type { KeyPair } from "./pki.ts";

/** What happens to one response. Bytes are counted in the body; negative counts are in the head. */
export type Fault =
  /** The connection is closed after so many bytes. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** Nothing more comes after so many bytes, the socket stays open. */
  | { readonly kind: "stall"; readonly afterBytes: number }
  /** The proxy answers by itself. */
  | {
    readonly kind: "answer";
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body: string;
  }
  /** Every line of the body comes twice. */
  | { readonly kind: "twice" }
  /** The body comes in chunks of so many bytes. */
  | { readonly kind: "chunks"; readonly size: number }
  /** These lines follow the first `afterLines` lines of the body. */
  | { readonly kind: "insert"; readonly afterLines: number; readonly text: string }
  /** Nobody answers: the connection is closed at once. */
  | { readonly kind: "refuse" }
  /** The proxy sends these bytes, and then one piece after the other until the client gives up. */
  | { readonly kind: "endless"; readonly begin: string; readonly piece: string; readonly everyMs: number };

export interface WireProxyOptions {
  readonly serverPort: number;
  readonly caCert: string;
  readonly user: KeyPair;
  /** The fault of the n-th request (from 0); `undefined` lets it pass. */
  fault(request: { readonly index: number; readonly method: string; readonly path: string }): Fault | undefined;
}

export class WireProxy implements AsyncDisposable {
  readonly #options: WireProxyOptions;
  readonly #accepting = new Accepting((client) => this.#serve(client));
  readonly #connections = new Set<Deno.Conn>();
  /** Paths asked for so far, in order. */
  readonly requests: string[] = [];

  constructor(options: WireProxyOptions) {
    this.#options = options;
  }

  get server(): string {
    return `http://127.0.0.1:${this.#accepting.port}`;
  }

  /** Closes every open connection, as a crash of the server would. */
  cutAll(): void {
    for (const connection of this.#connections) tryClose(connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#accepting.end(() => this.cutAll());
  }

  async #serve(client: Deno.Conn): Promise<void> {
    this.#connections.add(client);
    try {
      const { head, body } = await readRequest(client);
      const [method, path] = head.split(" ");
      if (path === undefined) return;
      const fault = this.#options.fault({ index: this.requests.push(path) - 1, method, path });
      if (fault?.kind === "refuse") return;
      if (fault?.kind === "answer") return await answer(client, fault);
      if (fault?.kind === "endless") return await goOn(client, fault);
      await this.#forward(client, { head, body }, fault);
    } finally {
      this.#connections.delete(client);
      tryClose(client);
    }
  }

  async #forward(client: Deno.Conn, { head, body }: HttpRequest, fault: Fault | undefined): Promise<void> {
    const { serverPort, caCert, user } = this.#options;
    const server = await Deno.connectTls({
      hostname: "127.0.0.1",
      port: serverPort,
      caCerts: [caCert],
      cert: user.cert,
      key: user.key,
      alpnProtocols: ["http/1.1"],
    });
    this.#connections.add(server);
    try {
      await writeAll(
        server,
        encode(head.replace(/ HTTP\/1\.1\r\n/, " HTTP/1.0\r\n").replace(/connection: [^\r]*\r\n/i, "")),
      );
      await writeAll(server, body);
      const reader = server.readable.getReader();
      let bytes = new Uint8Array();
      let end = -1;
      while (end < 0) {
        const { value, done } = await reader.read();
        if (done) return;
        bytes = concat(bytes, value);
        end = indexOfHeadEnd(bytes);
      }
      await writeAll(client, respondedHead(new TextDecoder().decode(bytes.subarray(0, end))));
      const damage = new Damage(client, fault);
      if (!await damage.write(bytes.subarray(end))) return;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        if (!await damage.write(value)) return;
      }
      await damage.end();
    } finally {
      this.#connections.delete(server);
      tryClose(server);
    }
  }
}

/** Passes a body on, damaged by one fault. */
class Damage {
  readonly #client: Deno.Conn;
  readonly #fault: Fault | undefined;
  #sent = 0;
  #lines = 0;
  #line = new Uint8Array();

  constructor(client: Deno.Conn, fault: Fault | undefined) {
    this.#client = client;
    this.#fault = fault;
  }

  /** @returns Whether there is a client to go on for. */
  async write(bytes: Uint8Array): Promise<boolean> {
    const fault = this.#fault;
    switch (fault?.kind) {
      case "cut":
      case "stall": {
        const left = Math.max(0, fault.afterBytes - this.#sent);
        await this.#chunk(bytes.subarray(0, left));
        this.#sent += bytes.length;
        if (this.#sent < fault.afterBytes) return true;
        // A stalled connection stays open until the client gives it up.
        if (fault.kind === "stall") await this.#client.read(new Uint8Array(1)).catch(() => null);
        return false;
      }
      case "chunks":
        for (let at = 0; at < bytes.length; at += fault.size) await this.#chunk(bytes.subarray(at, at + fault.size));
        return true;
      case "twice":
      case "insert":
        for (const line of this.#completeLines(bytes)) {
          await this.#chunk(line);
          if (fault.kind === "twice") await this.#chunk(line);
          else if (++this.#lines === fault.afterLines) await this.#chunk(encode(fault.text));
        }
        return true;
      default:
        await this.#chunk(bytes);
        return true;
    }
  }

  async end(): Promise<void> {
    await this.#chunk(this.#line);
    await writeAll(this.#client, encode("0\r\n\r\n"));
  }

  *#completeLines(bytes: Uint8Array): Iterable<Uint8Array> {
    let rest = concat(this.#line, bytes);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      yield rest.subarray(0, at + 1);
      rest = rest.subarray(at + 1);
    }
    this.#line = rest;
  }

  async #chunk(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    await writeAll(this.#client, concat(concat(encode(`${bytes.length.toString(16)}\r\n`), bytes), encode("\r\n")));
  }
}

async function answer(client: Deno.Conn, { status, headers = {}, body }: Fault & { kind: "answer" }): Promise<void> {
  const lines = Object.entries({ "content-type": "application/json", ...headers }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  const length = encode(body).length;
  await writeAll(
    client,
    encode(
      `HTTP/1.1 ${status} Proxy\r\n${lines.join("")}content-length: ${length}\r\nconnection: close\r\n\r\n${body}`,
    ),
  );
}

function respondedHead(head: string): Uint8Array {
  const lines = head.trimEnd().split("\r\n").filter((line) =>
    !/^(connection|transfer-encoding|content-length):/i.test(line)
  );
  lines[0] = lines[0].replace("HTTP/1.0", "HTTP/1.1");
  return encode([...lines, "Transfer-Encoding: chunked", "Connection: close", "", ""].join("\r\n"));
}

async function goOn(client: Deno.Conn, { begin, piece, everyMs }: Fault & { kind: "endless" }): Promise<void> {
  await writeAll(client, encode(begin));
  const bytes = encode(piece);
  // Writing fails when the client has gone.
  for (;;) {
    await writeAll(client, bytes);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

interface HttpRequest {
  readonly head: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

async function readRequest(connection: Deno.Conn): Promise<HttpRequest> {
  const buffer = new Uint8Array(16384);
  let bytes = new Uint8Array();
  const more = async () => {
    const count = await connection.read(buffer);
    bytes = concat(bytes, buffer.subarray(0, count ?? 0));
    return count !== null;
  };
  while (indexOfHeadEnd(bytes) < 0) if (!await more()) return { head: "", body: bytes };
  const headEnd = indexOfHeadEnd(bytes);
  const head = new TextDecoder().decode(bytes.subarray(0, headEnd));
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  while (bytes.length < headEnd + length && await more());
  return { head, body: bytes.slice(headEnd) };
}

function indexOfHeadEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at + 4;
  }
  return -1;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function tryClose(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed by the other side's loop.
  }
}
