import type { Clock, Timer } from "../../base/mod.ts";
import type { Store, StoredObject, StoreEvent } from "../storage/mod.ts";
import { bookmarkText } from "./encode.ts";
import type { ApiError } from "./errors.ts";
import type { Selection } from "./selection.ts";
import type { ServedResource } from "./served.ts";

/** How long a watch without `timeoutSeconds` lasts at least; the rest is random up to twice that. */
const SHORTEST_WATCH_MS = 30 * 60_000;
const BOOKMARK_EVERY_MS = 60_000;
/** The last bookmark comes this long before the deadline. */
const BOOKMARK_BEFORE_END_MS = 2000;
/** Initial events are put together up to this size, so that a big collection is neither one chunk nor thousands. */
const CHUNK_BYTES = 64 * 1024;

/** Event type to bytes, for one write: watchers of the same kind and form share the encoding. */
export type EncodeEvent = (type: string, object: StoredObject, event?: StoreEvent) => Uint8Array;

/** What a watch shows and how it starts. */
export interface WatchOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly served: ServedResource;
  readonly selection: Selection;
  /** Keys outside of it are not seen; `namespace/` or empty. */
  readonly prefix: string;
  readonly encode: EncodeEvent;
  readonly partial: boolean;
  /** Objects to show first, as ADDED. */
  readonly initial: readonly StoredObject[];
  /** Writes to show before live ones. */
  readonly missed: readonly StoreEvent[];
  readonly bookmarks: boolean;
  /** Whether a bookmark marks the end of the initial objects. */
  readonly marksInitialEnd: boolean;
  readonly timeoutMs?: number;
  readonly random: () => number;
  readonly bufferEvents: number;
  onClose(): void;
}

/**
 * One open watch: a stream of events, one JSON object per line.
 *
 * Contract:
 * 1. Initial objects come first, then the bookmark that ends them, then every matching write in order.
 * 2. A write that makes an object match is ADDED, one that makes it stop matching is DELETED with its previous content.
 * 3. Writers never wait: a reader that lags behind by more than `bufferEvents` events has its watch ended.
 * 4. When the stream ends, for whatever reason, no timer and no subscription of it is left.
 */
export class Watch {
  readonly stream: ReadableStream<Uint8Array>;
  readonly served: ServedResource;
  readonly #options: Omit<WatchOptions, "initial">;
  readonly #unsubscribe: () => void;
  readonly #timers = new Set<Timer>();
  readonly #pending: Uint8Array[] = [];
  readonly #limit: number;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Objects not sent yet; let go of once they are, since a watch lives long. */
  #initial: readonly StoredObject[];
  #initialAt = 0;
  #wanted = false;
  /** `ending`: what is pending still goes out. */
  #state: "open" | "ending" | "closed" = "open";

  constructor({ initial, ...options }: WatchOptions) {
    this.#options = options;
    this.served = options.served;
    this.#initial = initial;
    const { store, served } = options;
    for (const event of options.missed) {
      const bytes = this.#encode(event);
      if (bytes) this.#pending.push(bytes);
    }
    this.#limit = this.#pending.length + options.bufferEvents;
    if (options.bookmarks && options.marksInitialEnd) this.#pending.push(this.#bookmark(true));
    this.#unsubscribe = store.subscribe(served.collection, (event) => this.#offer(event));
    this.#setTimers();
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: () => this.#release(),
    }, { highWaterMark: 0 });
  }

  /** Ends the stream once everything pending was read. */
  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    this.#stopListening();
    this.#flush();
  }

  /** Sends an ERROR event with this status and ends. */
  fail(error: ApiError): void {
    if (this.#state !== "open") return;
    this.#pending.push(new TextEncoder().encode(`{"type":"ERROR","object":${JSON.stringify(error.status)}}\n`));
    this.end();
  }

  /** Breaks the stream off, as a lost connection does. */
  abort(reason: unknown): void {
    if (this.#state === "closed") return;
    this.#release();
    this.#controller?.error(reason);
  }

  #setTimers(): void {
    const { clock, bookmarks, random, timeoutMs } = this.#options;
    const lastsMs = timeoutMs ?? SHORTEST_WATCH_MS * (1 + random());
    const after = (delayMs: number, act: () => void) => {
      const timer = clock.setTimer(delayMs, () => {
        this.#timers.delete(timer);
        act();
      });
      this.#timers.add(timer);
    };
    after(lastsMs, () => this.end());
    if (!bookmarks) return;
    const sendBookmark = () => this.#push(this.#bookmark(false));
    if (lastsMs > BOOKMARK_BEFORE_END_MS) after(lastsMs - BOOKMARK_BEFORE_END_MS, sendBookmark);
    const tick = () => {
      sendBookmark();
      after(BOOKMARK_EVERY_MS, tick);
    };
    after(BOOKMARK_EVERY_MS, tick);
  }

  #offer(event: StoreEvent): void {
    const bytes = this.#encode(event);
    if (bytes) this.#push(bytes);
  }

  /** The write as this watch sees it, or `undefined` if it does not. */
  #encode(event: StoreEvent): Uint8Array | undefined {
    const { prefix, selection, encode } = this.#options;
    if (!event.key.startsWith(prefix)) return undefined;
    const { previous, object } = event;
    const was = previous !== undefined && selection.matches(previous);
    if (event.type === "DELETED") return was ? encode("DELETED", object, event) : undefined;
    if (selection.matches(object)) return encode(was ? "MODIFIED" : "ADDED", object, event);
    if (!was) return undefined;
    const { resourceVersion } = object.metadata;
    const gone = { ...previous, metadata: { ...previous.metadata, resourceVersion } };
    return encode("DELETED", gone, event);
  }

  #push(bytes: Uint8Array): void {
    if (this.#state !== "open") return;
    this.#pending.push(bytes);
    if (this.#pending.length > this.#limit) {
      this.#pending.length = 0;
      this.#initial = [];
      this.end();
      return;
    }
    this.#flush();
  }

  #pull(): void {
    this.#wanted = true;
    this.#flush();
  }

  /** Hands one chunk to a waiting reader, or closes when there is nothing left to come. */
  #flush(): void {
    const controller = this.#controller;
    if (this.#state === "closed" || !controller) return;
    const done = this.#initial.length === 0 && this.#pending.length === 0;
    if (done && this.#state === "ending") {
      this.#release();
      controller.close();
      return;
    }
    if (done || !this.#wanted) return;
    this.#wanted = false;
    // A fresh array each time: the reader may transfer it to another thread, and the encoding is shared.
    controller.enqueue(concat(this.#nextChunk()));
  }

  #nextChunk(): Uint8Array[] {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (this.#initialAt < this.#initial.length && size < CHUNK_BYTES) {
      const bytes = this.#options.encode("ADDED", this.#initial[this.#initialAt++]);
      parts.push(bytes);
      size += bytes.length;
    }
    if (this.#initialAt < this.#initial.length) return parts;
    this.#initial = [];
    return [...parts, ...this.#pending.splice(0)];
  }

  #bookmark(endsInitialEvents: boolean): Uint8Array {
    const { served, store, partial } = this.#options;
    const object = bookmarkText(served, { revision: store.revision, endsInitialEvents, partial });
    return new TextEncoder().encode(`{"type":"BOOKMARK","object":${object}}\n`);
  }

  #release(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#stopListening();
    this.#pending.length = 0;
    this.#options.onClose();
  }

  #stopListening(): void {
    this.#unsubscribe();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
