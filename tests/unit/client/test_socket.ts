import { Deferred, FakeWorld } from "../../../src/base/mod.ts";
import {
  type Dial,
  httpTransport,
  type HttpTransportOptions,
  type Socket,
  type WireRequest,
} from "../../../src/client/mod.ts";

const encoder = new TextEncoder();

/** A connection whose other end is the test. */
export class FakeSocket implements Socket {
  written = "";
  isClosed = false;
  /** What the next write fails with. */
  writeFailure?: Error;
  /** More than that one write does not take. */
  mostBytes = Infinity;
  readonly #incoming: (Uint8Array | null | Error)[] = [];
  #waiting?: Deferred<void>;

  /** Sends text to the client, in one piece. */
  push(text: string): this {
    return this.pushBytes(encoder.encode(text));
  }

  pushBytes(bytes: Uint8Array): this {
    return this.#add(bytes);
  }

  /** Ends the stream, as a peer that closes. */
  end(): this {
    return this.#add(null);
  }

  /** Fails the stream, as a peer that resets. */
  reset(): this {
    return this.#add(new Deno.errors.ConnectionReset("Connection reset by peer (os error 104)"));
  }

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#incoming.length === 0) {
      if (this.isClosed) throw new Deno.errors.BadResource("Bad resource ID");
      await (this.#waiting ??= new Deferred()).promise;
    }
    const next = this.#incoming[0];
    if (!(next instanceof Uint8Array)) {
      if (next) throw next;
      return null;
    }
    const count = Math.min(into.length, next.length);
    into.set(next.subarray(0, count));
    if (count < next.length) this.#incoming[0] = next.subarray(count);
    else this.#incoming.shift();
    return count;
  }

  write(bytes: Uint8Array): Promise<number> {
    if (this.writeFailure) return Promise.reject(this.writeFailure);
    if (this.isClosed) return Promise.reject(new Deno.errors.BadResource("Bad resource ID"));
    const taken = bytes.subarray(0, this.mostBytes);
    this.written += new TextDecoder().decode(taken);
    return Promise.resolve(taken.length);
  }

  close(): void {
    this.isClosed = true;
    this.#wake();
  }

  #add(item: Uint8Array | null | Error): this {
    this.#incoming.push(item);
    this.#wake();
    return this;
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

export const ORIGIN = "http://server.test";

/** A transport whose connections are {@link FakeSocket}s, in the order in which they were opened. */
export function fakeTransport(options: Partial<HttpTransportOptions> = {}) {
  const world = new FakeWorld();
  const sockets: FakeSocket[] = [];
  const dial: Dial = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return Promise.resolve(socket);
  };
  const transport = httpTransport({ world, server: ORIGIN, dial, ...options });
  const send = (method: string, path = "/", init: Partial<WireRequest> = {}) =>
    transport.exchange({ method, url: ORIGIN + path, headers: { accept: "application/json" }, ...init });
  return { world, transport, sockets, send };
}

/** A whole response with a length. */
export function response(body: string, status = "200 OK", headers = ""): string {
  return `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${encoder.encode(body).length}\r\n\r\n${body}`;
}
