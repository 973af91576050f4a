import { Backoff, type Timer, TurnBudget, type World } from "../../base/mod.ts";
import type { FrameSource } from "../../cache/mod.ts";
import type { FrameSink, Replacement } from "../../watch/mod.ts";
import { unpackFrames } from "./frame_batch.ts";
import type { HubMessage, Poster, SubscriberMessage, Topic } from "./messages.ts";

/** A sink that fails requests everything again after this delay, which doubles. */
const AGAIN = { initialMs: 800, capMs: 30_000, factor: 2, jitter: 1, resetMs: 120_000 } as const;

/** Processed bytes are reported in steps of this size: it only matters if much is in flight. */
const REPORTED_BYTES = 1024 * 1024;

/**
 * A group's end of the hub: provides frame sources for the group's informers.
 *
 * Contract:
 * 1. A sink gets the hub's messages in order, each when it has taken the one before.
 * 2. A sink that fails gets the whole state again, after a backoff; until then nothing more.
 * 3. Every byte that was sent is reported as worked off, taken or not, once they are a megabyte.
 * 4. However many messages wait, the event loop turns in between.
 */
export class HubClient {
  readonly #world: World;
  readonly #port: Poster<SubscriberMessage>;
  readonly #budget: TurnBudget;
  readonly #streams = new Map<number, Stream>();
  #lastStream = 0;

  constructor(world: World, port: Poster<SubscriberMessage>) {
    this.#world = world;
    this.#port = port;
    this.#budget = new TurnBudget(world.clock);
  }

  /** Handles a message of the hub. */
  receive(message: HubMessage): void {
    this.#streams.get(message.stream)?.receive(message);
  }

  /** The frames of `topic`. */
  source(topic: Topic): FrameSource {
    return { run: (sink, signal) => this.#run(topic, sink, signal) };
  }

  async #run(topic: Topic, sink: FrameSink, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const id = ++this.#lastStream;
    const stream = new Stream({
      world: this.#world,
      budget: this.#budget,
      sink,
      done: (bytes) => this.#port.postMessage({ stream: id, what: "done", bytes }),
      again: () => this.#port.postMessage({ stream: id, what: "again" }),
    });
    this.#streams.set(id, stream);
    this.#port.postMessage({ stream: id, what: "subscribe", topic });
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#streams.delete(id);
    this.#port.postMessage({ stream: id, what: "unsubscribe" });
    stream.close();
  }
}

interface StreamOptions {
  readonly world: World;
  /** Shared with the other subscriptions. */
  readonly budget: TurnBudget;
  readonly sink: FrameSink;
  done(bytes: number): void;
  again(): void;
}

/** One subscription, at the group's end. */
class Stream {
  readonly #options: StreamOptions;
  readonly #backoff: Backoff;
  #replacement: Replacement | undefined;
  /** Ends when all messages so far are processed. */
  #last: Promise<void> = Promise.resolve();
  /** How many messages are not being processed yet. */
  #waiting = 0;
  #waitsForBegin = false;
  #timer: Timer | undefined;
  #isClosed = false;
  /** Processed but not reported. */
  #doneBytes = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.world, AGAIN);
  }

  receive(message: HubMessage): void {
    this.#next(async () => {
      if (message.what === "begin") this.#waitsForBegin = false;
      if (!this.#waitsForBegin) await this.#take(message);
    }).finally(() => {
      if (message.what === "frames") this.#workedOff(message.batch.bytes.byteLength);
    });
  }

  #workedOff(bytes: number): void {
    this.#doneBytes += bytes;
    if (this.#doneBytes < REPORTED_BYTES || this.#isClosed) return;
    this.#options.done(this.#doneBytes);
    this.#doneBytes = 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#replacement?.abort();
    this.#replacement = undefined;
  }

  #next(work: () => Promise<void>): Promise<void> {
    const { budget } = this.#options;
    this.#waiting++;
    return this.#last = this.#last.then(async () => {
      this.#waiting--;
      if (this.#isClosed) return;
      try {
        await work();
      } catch (err) {
        this.#failed(err);
      }
      if (this.#waiting > 0 && budget.spent) await budget.nextTurn();
    });
  }

  async #take(message: HubMessage): Promise<void> {
    const { sink } = this.#options;
    switch (message.what) {
      case "begin":
        this.#replacement?.abort();
        this.#replacement = sink.beginReplace();
        break;
      case "frames": {
        const frames = unpackFrames(message.batch);
        await (message.isReplacement ? this.#replacement?.events(frames) : sink.events(frames));
        break;
      }
      case "commit": {
        const replacement = this.#replacement;
        await replacement?.commit(message.resourceVersion);
        this.#replacement = undefined;
        break;
      }
      case "bookmark":
        await sink.bookmark(message.resourceVersion);
    }
  }

  #failed(err: unknown): void {
    if (this.#isClosed) return;
    const { world, again } = this.#options;
    this.#replacement?.abort();
    this.#replacement = undefined;
    this.#waitsForBegin = true;
    const delayMs = this.#backoff.nextMs();
    world.log.named("hub").error("An informer could not take its frames; it will get them anew", { err, delayMs });
    this.#timer?.cancel();
    this.#timer = world.clock.setTimer(delayMs, again);
  }
}
