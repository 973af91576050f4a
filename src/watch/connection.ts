import { type Clock, Deferred, type Timer } from "../base/mod.ts";

/** What happened next on a {@link Connection}. */
export type Arrival =
  | { readonly what: "bytes"; readonly bytes: Uint8Array }
  /** The body ended; with `error` if the connection broke. */
  | { readonly what: "ended"; readonly error?: unknown }
  /** There was no progress for too long, or the whole took too long. */
  | { readonly what: "silent" }
  | { readonly what: "stopped" };

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** How long to wait for the answer to begin, and between reports to {@link Connection.progressed}. */
  readonly idleMs: number;
  /** How long the whole may last. Default: no limit. */
  readonly lifetimeMs?: number;
  /** Called when the answer begins and at each {@link Connection.progressed}. */
  readonly onProgress?: () => void;
}

/** There was no answer, or no progress, for too long. */
export class NoProgressError extends Error {
  override readonly name = "NoProgressError";
}

/** The largest piece, and the amount between two turns of the event loop. */
const PIECE_BYTES = 256 * 1024;
const TURN_BYTES = 1024 * 1024;

/**
 * The body of one response, with detection of silence.
 *
 * Contract:
 * 1. `next` resolves in any case: with bytes, the end, after `idleMs` without progress, or when `signal` aborts. Only
 *    time spent waiting in `next` counts as silence, so that a slow reader is not taken for a dead server.
 * 2. The reader decides what counts as progress: bytes that never complete an event or item do not.
 * 3. After `close` no timer, listener or request is left, also of a request that never answers.
 * 4. Pieces are small enough to be worked on without blocking the event loop, and it gets its turn now and then even if
 *    the server is faster than the reader.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #request = new AbortController();
  readonly #openedMs: number;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isReading = false;
  #isClosed = false;
  #arrived: Arrival | undefined;
  #waiter: Deferred<Arrival> | undefined;
  #waitingSinceMs = 0;
  /** Time spent waiting since the last progress, without the current wait. */
  #waitedMs = 0;
  #timer: Timer | undefined;
  #rest: Uint8Array | undefined;
  #turnBytes = 0;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#openedMs = options.clock.monotonicMs();
    options.signal.addEventListener("abort", this.#stop);
  }

  /**
   * Sends a request and waits for its answer to begin.
   *
   * @throws {NoProgressError} If it does not begin within `idleMs`.
   * @throws Whatever `request` rejects with, or the reason of `options.signal` if that aborts first.
   */
  static async open(
    request: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
    options: ConnectionOptions,
  ): Promise<Connection> {
    options.signal.throwIfAborted();
    const connection = new Connection(options);
    try {
      const stream = request(connection.#request.signal);
      // An answer that comes too late is discarded.
      stream.then((late) => connection.#isClosed ? late.cancel() : undefined).catch(() => {});
      const begun = stream.then((): Arrival => ({ what: "ended" }), (error): Arrival => ({ what: "ended", error }));
      const arrival = await connection.#wait(() => void begun.then((arrival) => connection.#arrive(arrival)));
      if (arrival.what === "silent") throw new NoProgressError(`no answer within ${options.idleMs} ms`);
      if (arrival.what === "stopped") throw options.signal.reason;
      connection.#reader = (await stream).getReader();
      connection.progressed();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** What comes next; one call at a time. */
  async next(): Promise<Arrival> {
    const { clock } = this.#options;
    if (this.#turnBytes >= TURN_BYTES) {
      this.#turnBytes = 0;
      await clock.nextTurn();
    }
    let bytes = this.#rest;
    if (!bytes) {
      const arrival = await this.#wait(() => this.#read());
      if (arrival.what !== "bytes") return arrival;
      bytes = arrival.bytes;
    } else if (this.#options.signal.aborted) return { what: "stopped" };
    this.#rest = bytes.length > PIECE_BYTES ? bytes.subarray(PIECE_BYTES) : undefined;
    if (this.#rest) bytes = bytes.subarray(0, PIECE_BYTES);
    this.#turnBytes += bytes.length;
    return { what: "bytes", bytes };
  }

  /** Reports progress: silence counts from now on. */
  progressed(): void {
    this.#waitedMs = 0;
    this.#options.onProgress?.();
  }

  /** Gives up the response. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#options.signal.removeEventListener("abort", this.#stop);
    this.#reader?.cancel().catch(() => {}); // errors of a discarded stream do not matter
    this.#request.abort();
  }

  readonly #stop = (): void => {
    this.#request.abort(this.#options.signal.reason);
    this.#arrive({ what: "stopped" });
  };

  #wait(start: () => void): Promise<Arrival> {
    if (this.#options.signal.aborted) return Promise.resolve({ what: "stopped" });
    const arrived = this.#arrived;
    if (arrived) {
      this.#arrived = undefined;
      return Promise.resolve(arrived);
    }
    this.#waitingSinceMs = this.#options.clock.monotonicMs();
    const waiter = this.#waiter = new Deferred<Arrival>();
    if (!this.#timer) this.#setTimer();
    start();
    return waiter.promise;
  }

  #arrive(arrival: Arrival): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (waiter) {
      this.#waitedMs += this.#options.clock.monotonicMs() - this.#waitingSinceMs;
      waiter.resolve(arrival);
    } else this.#arrived = arrival;
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#reader!.read().then(
      ({ done, value }) => {
        this.#isReading = false;
        if (done) this.#arrive({ what: "ended" });
        else if (value.length > 0) this.#arrive({ what: "bytes", bytes: value });
        else this.#read();
      },
      (error) => this.#arrive({ what: "ended", error }),
    );
  }

  /** One timer for both deadlines, reset only when it fires, because bytes arrive far more often. */
  #setTimer(): void {
    const leftMs = this.#deadlineMs() - this.#options.clock.monotonicMs();
    this.#timer = this.#options.clock.setTimer(leftMs, () => {
      this.#timer = undefined;
      if (!this.#waiter) return; // the next `next` sets it again
      if (this.#deadlineMs() <= this.#options.clock.monotonicMs()) this.#arrive({ what: "silent" });
      else this.#setTimer();
    });
  }

  #deadlineMs(): number {
    const { idleMs, lifetimeMs = Infinity } = this.#options;
    return Math.min(this.#waitingSinceMs + idleMs - this.#waitedMs, this.#openedMs + lifetimeMs);
  }
}
