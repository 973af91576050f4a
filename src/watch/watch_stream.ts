import type { Clock } from "../base/mod.ts";
import type { Connection } from "./connection.ts";
import type { EventSifter, WatchEvent } from "./event_sifter.ts";
import { FrameError, type WatchFrame } from "./frame.ts";
import type { JsonFrameScanner } from "./json_frame_scanner.ts";
import { VeryShortWatchError } from "./watch_errors.ts";

/** A watch that ends earlier than this without an event is {@link VeryShortWatchError}. */
const VERY_SHORT_MS = 1000;

/** How a watch ended. */
export type StreamEnd =
  | Extract<WatchEvent, { readonly what: "failed" }>
  /** The server closed it, or the connection broke. An incomplete frame is dropped. */
  | { readonly what: "closed"; readonly error?: unknown; readonly insideFrame: boolean }
  /** It was silent for too long, or outlived its requested duration. */
  | { readonly what: "silent" }
  | { readonly what: "stopped" };

/** A step of a watch: an event, or how it ended. */
export type WatchStep = WatchEvent | StreamEnd;

/** The parts of a {@link WatchStream}. */
export interface WatchStreamParts {
  readonly connection: Connection;
  readonly scanner: JsonFrameScanner;
  readonly sifter: EventSifter;
  readonly clock: Clock;
  /** For error messages. */
  readonly resource: string;
  /** When the request was sent, on the monotonic clock. */
  readonly startedMs: number;
  /** Whether the events' resourceVersions are positions to continue from, starting with the first. */
  readonly isOrdered: boolean;
}

/**
 * One open watch.
 *
 * Contract:
 * 1. `next` gives what happens in the server's order, one thing at a time.
 * 2. Bytes that are not JSON, and frames no API server sends, are a `failed` step with a `FrameError`, behind all that
 *    came before them.
 * 3. So is a watch that is closed in less than a second without an event, with a `VeryShortWatchError`.
 * 4. Only what it gives is progress: neither bytes of an event that does not end nor objects of another kind keep it
 *    open.
 */
export class WatchStream {
  /** False during the initial ADDED events, which are not ordered by resourceVersion. */
  isOrdered: boolean;
  readonly #connection: Connection;
  readonly #scanner: JsonFrameScanner;
  readonly #sifter: EventSifter;
  readonly #clock: Clock;
  readonly #resource: string;
  /** When the request was sent, or the stream was taken over as a live watch. */
  #startedMs: number;
  /** The number of objects and bookmarks so far, without those of other kinds. */
  #events = 0;
  #pending: Generator<WatchEvent, void> | undefined;
  #fault: FrameError | undefined;

  constructor({ connection, scanner, sifter, clock, resource, startedMs, isOrdered }: WatchStreamParts) {
    this.#connection = connection;
    this.#scanner = scanner;
    this.#sifter = sifter;
    this.#clock = clock;
    this.#resource = resource;
    this.#startedMs = startedMs;
    this.isOrdered = isOrdered;
  }

  async next(): Promise<WatchStep> {
    try {
      for (;;) {
        const event = this.#pending?.next();
        if (event && !event.done) return this.#counted(event.value);
        if (this.#fault) return { what: "failed", error: this.#fault };
        const arrival = await this.#connection.next();
        if (arrival.what === "bytes") this.#scan(arrival.bytes);
        else if (arrival.what !== "ended") return arrival;
        else return this.#closed(arrival.error);
      }
    } catch (error) {
      return { what: "failed", error };
    }
  }

  /** The initial events of a streaming list have ended: from now on this is an ordinary watch. */
  becomeLive(): void {
    this.isOrdered = true;
    this.#startedMs = this.#clock.monotonicMs();
    this.#events = 0;
  }

  close(): void {
    this.#connection.close();
  }

  #scan(bytes: Uint8Array): void {
    const frames: WatchFrame[] = [];
    try {
      this.#scanner.push(bytes, frames);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#fault = error;
    }
    this.#pending = this.#sifter.sift(frames);
  }

  #closed(error: unknown): StreamEnd {
    const isVeryShort = this.#events === 0 && this.#clock.monotonicMs() - this.#startedMs < VERY_SHORT_MS;
    if (isVeryShort) return { what: "failed", error: new VeryShortWatchError(this.#resource) };
    return { what: "closed", error, insideFrame: this.#scanner.isInsideFrame };
  }

  #counted(event: WatchEvent): WatchEvent {
    this.#connection.progressed();
    if (event.what === "objects") this.#events += event.frames.length;
    else if (event.what === "bookmark") this.#events++;
    return event;
  }
}
