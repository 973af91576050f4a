import { ConnectionError, connectionFailureOf } from "../connection_error.ts";
import { type BodyFraming, framingOf, keepsAlive } from "./body_framing.ts";
import { ChunkedDecoder } from "./chunked_decoder.ts";
import { findHeadEnd, parseHead, type ResponseHead } from "./response_head.ts";
import { type Socket, writeAll } from "./socket.ts";

/** A head must fit in it; bodies pass through piece by piece. The size of one TLS record. */
const BUFFER_BYTES = 16_384;

/** What a connection has until a read fills it: most watches are silent most of the time. */
const FIRST_BUFFER_BYTES = 4096;

/** How many informational responses may precede the response. Upstream: `net/http` (max1xxResponses). */
const MAX_INFORMATIONAL = 5;

const NOTHING = new Uint8Array(0);

/**
 * What a connection is doing; `stream` is the body of a watch or a streamed list, which may be silent for a long time.
 */
export type Activity = "idle" | "head" | "text" | "stream" | "closed";

/**
 * One connection to the server, for one request at a time.
 *
 * Contract:
 * 1. A connection is reusable only when the response ended where its framing says, and both sides keep it alive.
 * 2. While idle it keeps reading, so that the server's closing is noticed before the next request and not by it.
 * 3. Bytes that come while no response is awaited close it.
 * 4. After `abort` everything that waits fails with the given reason.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #buffer = new Uint8Array(FIRST_BUFFER_BYTES);
  #start = 0;
  #end = 0;
  #ahead?: Promise<number | null>;
  #framing: BodyFraming = { kind: "none" };
  #chunked = new ChunkedDecoder();
  #left = 0;
  #isBodyEnded = false;
  #keepAlive = true;
  #reason: unknown;
  activity: Activity = "head";
  /** How many responses it has completed. */
  served = 0;
  /** Whether a byte of the current response has arrived. */
  heardAny = false;
  /** By the pool's clock; the pool updates it. */
  sinceMs = 0;
  /** Called when the response has ended and the connection is idle or closed. */
  onEnd: () => void = () => {};
  /** Called for every piece received. */
  onBytes: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Sends `request` and reads the response's head, skipping up to five informational responses. The caller must call
   * `finish` afterwards.
   *
   * @param beforeMore Called before each further piece of a request that is not written at once; throws to hold it
   *   back.
   */
  async exchange(
    request: Uint8Array,
    { method, beforeMore }: { readonly method: string; readonly beforeMore?: () => void },
  ): Promise<ResponseHead> {
    this.activity = "head";
    this.heardAny = false;
    try {
      await writeAll(this.#socket, request, beforeMore);
    } catch (error) {
      throw new UnsentError(error);
    }
    let head = await this.#readHead();
    for (let count = 1; head.status < 200 && head.status !== 101; count++) {
      if (count > MAX_INFORMATIONAL) throw new ConnectionError("protocol", "too many 1xx informational responses");
      head = await this.#readHead();
    }
    this.#framing = framingOf(head, method);
    this.#keepAlive = keepsAlive(head, this.#framing);
    if (this.#framing.kind === "length") this.#left = this.#framing.length;
    else if (this.#framing.kind === "chunked") this.#chunked = new ChunkedDecoder();
    this.#isBodyEnded = this.#framing.kind === "none";
    this.activity = "text";
    return head;
  }

  /** Whether the last piece of the body has been handed out. */
  get isBodyEnded(): boolean {
    return this.#isBodyEnded;
  }

  /** The next piece of the body, valid until the next call or `finish`; empty only when the body has ended. */
  async nextPiece(): Promise<Uint8Array<ArrayBuffer>> {
    for (;;) {
      if (this.#reason !== undefined) throw this.#reason;
      if (this.#isBodyEnded) return NOTHING;
      if (this.#start === this.#end && !await this.#fill()) {
        if (this.#framing.kind !== "close") throw new ConnectionError("eof", "unexpected EOF");
        this.#isBodyEnded = true;
        return NOTHING;
      }
      const piece = this.#takePiece();
      if (piece.length > 0) return piece;
    }
  }

  /** Releases the last piece: the connection becomes idle, or is closed if it cannot be reused. */
  finish(): void {
    if (this.activity === "closed") return;
    this.served++;
    const isReusable = this.#isBodyEnded && this.#keepAlive && this.#start === this.#end;
    if (!isReusable) return this.close();
    this.activity = "idle";
    this.onEnd();
  }

  /** Closes the connection; pending calls fail with `reason`. */
  abort(reason: unknown): void {
    if (this.activity === "closed") return;
    this.#reason = reason ?? new ConnectionError("other", "connection closed");
    this.close();
  }

  close(): void {
    if (this.activity === "closed") return;
    this.activity = "closed";
    this.#socket.close();
    this.onEnd();
  }

  /** Translates a socket's error; after an abort, the abort's reason wins. */
  explain(error: unknown): unknown {
    if (this.#reason !== undefined) return this.#reason;
    return error instanceof UnsentError ? error.cause : error;
  }

  #takePiece(): Uint8Array<ArrayBuffer> {
    const start = this.#start;
    let pieceEnd = this.#end;
    if (this.#framing.kind === "chunked") {
      const { payloadEnd, readTo } = this.#chunked.decode(this.#buffer, start, this.#end);
      pieceEnd = payloadEnd;
      this.#start = readTo;
    } else {
      if (this.#framing.kind === "length") {
        pieceEnd = Math.min(this.#end, start + this.#left);
        this.#left -= pieceEnd - start;
      }
      this.#start = pieceEnd;
    }
    const piece = this.#buffer.subarray(start, pieceEnd);
    this.#isBodyEnded = this.#framing.kind === "length" ? this.#left === 0 : this.#chunked.done;
    return piece;
  }

  async #readHead(): Promise<ResponseHead> {
    for (;;) {
      const headEnd = findHeadEnd(this.#buffer, this.#start, this.#end);
      if (headEnd >= 0) {
        const head = parseHead(this.#buffer.subarray(this.#start, headEnd));
        this.#start = headEnd;
        return head;
      }
      if (this.#end === BUFFER_BYTES && this.#start === 0) {
        throw new ConnectionError("protocol", `HTTP response head exceeds ${BUFFER_BYTES} bytes`);
      }
      if (!await this.#fill()) throw new ConnectionError("eof", this.heardAny ? "unexpected EOF" : "EOF");
    }
  }

  async #fill(): Promise<boolean> {
    if (this.#end === this.#buffer.length) {
      const left = this.#buffer.subarray(this.#start, this.#end);
      if (this.#end < BUFFER_BYTES) this.#buffer = new Uint8Array(BUFFER_BYTES);
      this.#buffer.set(left);
      this.#start = 0;
      this.#end = left.length;
    } else if (this.#start === this.#end) this.#start = this.#end = 0;
    const reading = this.#ahead ?? this.#socket.read(this.#buffer.subarray(this.#end));
    this.#ahead = undefined;
    const count = await reading;
    if (this.#reason !== undefined) throw this.#reason;
    if (count === null) return false;
    this.heardAny = true;
    this.#end += count;
    this.onBytes();
    return true;
  }

  /** Reads ahead while idle. The pool calls this, because a connection that is reused at once need not. */
  watchIdle(): void {
    if (this.#ahead) return; // returned unused
    this.#start = this.#end = 0;
    const ahead = this.#socket.read(this.#buffer);
    this.#ahead = ahead;
    const unasked = () => {
      if (this.activity === "idle") this.close();
    };
    ahead.then(unasked, unasked);
  }
}

/** The request was not sent completely, so the server cannot have acted on it. */
class UnsentError extends Error {
  constructor(cause: unknown) {
    super("request not sent", { cause });
  }
}

/** Whether a request that failed with `error` may be retried on another connection. */
export function isStale(
  connection: HttpConnection,
  { error, method }: { readonly error: unknown; readonly method: string },
): boolean {
  if (connection.served === 0 || connection.heardAny) return false;
  if (error instanceof UnsentError) return true;
  const failure = connectionFailureOf(error);
  return (method === "GET" || method === "HEAD") && (failure === "eof" || failure === "reset");
}
