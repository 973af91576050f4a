import { concat } from "@std/bytes/concat";
import type { Clock, Timer } from "../../../base/mod.ts";
import type { Store, StoredObject, StoreEvent } from "../../storage/mod.ts";
import { eventLine, type EventWriter, type WatchForm } from "./event_writer.ts";
import type { ApiError } from "../base/mod.ts";
import type { Selection } from "./selection.ts";
import type { ServedResource } from "../resources/mod.ts";

/** The shortest duration of a watch without `timeoutSeconds`; a random one is up to twice as long. */
const SHORTEST_WATCH_MS = 30 * 60_000;
const BOOKMARK_EVERY_MS = 60_000;
/** The last bookmark is sent this long before the deadline. */
const BOOKMARK_BEFORE_END_MS = 2000;
/** The chunk size of what is sent first, so that a large collection is neither a single chunk nor thousands. */
const CHUNK_BYTES = 64 * 1024;

const INITIAL_END = { "k8s.io/initial-events-end": "true" };

/** What a watch shows, and where it starts. */
export interface WatchOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly served: ServedResource;
  readonly selection: Selection;
  /** Only keys with this prefix are seen; `namespace/` or empty. */
  readonly prefix: string;
  /** The only key that is seen, if set. */
  readonly key?: string;
  readonly writer: EventWriter;
  /** Objects to send first, as ADDED. */
  readonly initial: readonly StoredObject[];
  /** Past writes to send before live ones. */
  readonly missed: readonly StoreEvent[];
  /** Writes up to this revision are skipped. */
  readonly after: number;
  readonly bookmarks: boolean;
  /** Whether a bookmark marks the end of the initial objects. */
  readonly marksInitialEnd: boolean;
  readonly timeoutMs?: number;
  readonly random: () => number;
  readonly bufferEvents: number;
  onClose(): void;
}

/** An event as the watch sends it. */
interface Shown {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: StoredObject;
}

type Line = Uint8Array<ArrayBuffer>;

/**
 * One open watch: a stream of events, one JSON object per line.
 *
 * Contract:
 * 1. Initial objects come first, then the bookmark that ends them, then every matching write in order.
 * 2. A write that makes an object match is ADDED, one that makes it stop matching is DELETED with its previous content.
 * 3. Writers never wait: a reader that lags behind by more than `bufferEvents` events has its watch ended.
 * 4. At its deadline a watch ends, even amid its initial objects: nothing that comes after a gap is sent.
 * 5. When the stream ends, for whatever reason, no timer and no subscription of it is left.
 */
export class Watch {
  readonly stream: ReadableStream<Uint8Array>;
  readonly served: ServedResource;
  readonly form: WatchForm;
  readonly #options: Omit<WatchOptions, "initial" | "missed">;
  readonly #unsubscribe: () => void;
  readonly #timers = new Set<Timer>();
  /** Lines to send, and events that are encoded only when they are sent because they depend on what was sent before. */
  readonly #pending: (Line | Shown)[] = [];
  /** What is sent before anything pending, produced on demand; `undefined` afterwards, since watches live long. */
  #beginning: Iterator<Line> | undefined;
  /** Writes the first object; `undefined` afterwards. */
  #renderFirst: WatchForm["renderFirst"];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #wanted = false;
  /** `ending`: pending lines are still sent. */
  #state: "open" | "ending" | "closed" = "open";

  constructor({ initial, missed, ...options }: WatchOptions) {
    this.#options = options;
    this.served = options.served;
    this.form = options.writer.form;
    this.#renderFirst = this.form.renderFirst;
    const { store, served, after } = options;
    const end = options.bookmarks && options.marksInitialEnd ? bookmark(store.revision, INITIAL_END) : undefined;
    const hasBeginning = initial.length > 0 || missed.length > 0 || end !== undefined;
    this.#beginning = hasBeginning ? this.#linesOf(initial, missed, end) : undefined;
    this.#unsubscribe = store.subscribe(served.collection, (event) => event.revision > after && this.#offer(event));
    this.#setTimers();
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: () => this.#release(),
    }, { highWaterMark: 0 });
  }

  /** Ends the stream once everything pending has been read. */
  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    this.#stopListening();
    this.#flush();
  }

  /** Sends an ERROR event with this status and ends. */
  fail(error: ApiError): void {
    if (this.#state !== "open") return;
    this.#pending.push(eventLine("ERROR", JSON.stringify(error.status)));
    this.end();
  }

  /** Breaks the stream, like a lost connection. */
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
    after(lastsMs, () => this.#beginning ? this.#cutOff() : this.end());
    if (!bookmarks) return;
    const sendBookmark = () => {
      const { revision } = this.#options.store;
      if (revision >= this.#options.after) this.#push(bookmark(revision));
    };
    if (lastsMs > BOOKMARK_BEFORE_END_MS) after(lastsMs - BOOKMARK_BEFORE_END_MS, sendBookmark);
    const tick = () => {
      sendBookmark();
      after(BOOKMARK_EVERY_MS, tick);
    };
    after(BOOKMARK_EVERY_MS, tick);
  }

  /** Lines to send before live events. */
  *#linesOf(initial: readonly StoredObject[], missed: readonly StoreEvent[], end?: Shown): Iterator<Line> {
    for (const object of initial) yield this.#line({ type: "ADDED", object });
    for (const event of missed) {
      const shown = this.#shown(event);
      if (shown) yield this.#line(shown);
    }
    if (end) yield this.#line(end);
  }

  #offer(event: StoreEvent): void {
    const shown = this.#shown(event);
    if (!shown) return;
    const isFirst = this.#renderFirst !== undefined;
    this.#push(isFirst ? shown : this.#options.writer.write(shown.type, shown.object, event));
  }

  /** The write as this watch sees it; `undefined` if it does not. */
  #shown(event: StoreEvent): Shown | undefined {
    const { prefix, key, selection } = this.#options;
    if (key === undefined ? !event.key.startsWith(prefix) : event.key !== key) return undefined;
    const { previous, object } = event;
    const was = previous !== undefined && selection.matches(previous);
    if (event.type === "DELETED") return was ? { type: "DELETED", object } : undefined;
    if (selection.matches(object)) return { type: was ? "MODIFIED" : "ADDED", object };
    if (!was) return undefined;
    const { resourceVersion } = object.metadata;
    return { type: "DELETED", object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
  }

  #push(line: Line | Shown): void {
    if (this.#state !== "open") return;
    this.#pending.push(line);
    if (this.#pending.length > this.#options.bufferEvents) this.#cutOff();
    else this.#flush();
  }

  /** Ends the stream and drops what is pending. */
  #cutOff(): void {
    this.#pending.length = 0;
    this.#beginning = undefined;
    this.end();
  }

  #pull(): void {
    this.#wanted = true;
    this.#flush();
  }

  /** Gives a chunk to a waiting reader, or closes the stream when nothing is left. */
  #flush(): void {
    const controller = this.#controller;
    if (this.#state === "closed" || !controller) return;
    if (this.#wanted && (this.#beginning || this.#pending.length > 0)) {
      const parts = this.#nextChunk();
      if (parts.length > 0) {
        this.#wanted = false;
        // Always a new array: the reader may transfer it to another thread, and the encoded lines are shared.
        controller.enqueue(concat(parts));
      }
    }
    if (this.#state !== "ending" || this.#beginning || this.#pending.length > 0) return;
    this.#release();
    controller.close();
  }

  #nextChunk(): Line[] {
    const parts: Line[] = [];
    for (let size = 0; this.#beginning && size < CHUNK_BYTES;) {
      const { value, done } = this.#beginning.next();
      if (done) this.#beginning = undefined;
      else size += parts[parts.push(value) - 1].length;
    }
    if (this.#beginning) return parts;
    for (const line of this.#pending.splice(0)) parts.push(line instanceof Uint8Array ? line : this.#line(line));
    return parts;
  }

  /** An event that only this watch sends. */
  #line({ type, object }: Shown): Line {
    const { render, renderBookmark } = this.form;
    const text = this.#renderFirst?.(object) ?? (type === "BOOKMARK" ? renderBookmark(object) : render(object));
    this.#renderFirst = undefined;
    return eventLine(type, text);
  }

  #release(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#stopListening();
    this.#pending.length = 0;
    this.#beginning = undefined;
    this.#options.onClose();
  }

  #stopListening(): void {
    this.#unsubscribe();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

function bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Shown {
  const metadata = { resourceVersion: String(revision), ...annotations ? { annotations } : {} };
  return { type: "BOOKMARK", object: { metadata } };
}
