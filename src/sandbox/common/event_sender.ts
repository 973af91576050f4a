import { RingBuffer, type World } from "../../base/mod.ts";

/** An event to be written. */
interface Waiting {
  readonly reason: string;
  write(signal: AbortSignal): Promise<void>;
}

/** How many distinct events are remembered for when they happen again. */
export const REMEMBERED_EVENTS = 4096;

/**
 * Writes events one after the other, without making anybody wait.
 *
 * Contract:
 * 1. `send` never blocks and never fails.
 * 2. No more than `capacity` events wait; those beyond are dropped and counted.
 * 3. An event that the server refuses is dropped: events are a courtesy.
 * 4. After `close` nothing more is sent.
 */
export class EventSender {
  readonly #world: World;
  readonly #capacity: number;
  readonly #waiting = new RingBuffer<Waiting>();
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;
  #order = 0;
  #dropped = 0;

  /** @param capacity How many events may wait. Default 5000. */
  constructor(world: World, capacity = 5000) {
    this.#world = world;
    this.#capacity = capacity;
  }

  /** How many events were not written because too many were waiting or the server refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  send(reason: string, write: (signal: AbortSignal) => Promise<void>): void {
    if (this.isClosed) return;
    if (this.#waiting.length >= this.#capacity) return void this.#dropped++;
    this.#waiting.push({ reason, write });
    this.#sending ??= this.#send();
  }

  /** A unique name for an event about the object `about`. Upstream: `util.GenerateEventName`. */
  nameFor(about: string | undefined): string {
    const order = (this.#order++ % 1_000_000).toString(16).padStart(5, "0");
    return `${about}.${Math.floor(this.#world.clock.wallMs()).toString(16)}${order}`;
  }

  /** Drops waiting events; resolves when no request is in flight. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #send(): Promise<void> {
    await undefined; // outside the sender's call stack
    while (!this.isClosed) {
      const next = this.#waiting.shift();
      if (!next) break;
      try {
        await next.write(this.#stop.signal);
      } catch (err) {
        if (this.isClosed) break;
        this.#dropped++;
        this.#world.log.verbose(3, "Event was not written", { reason: next.reason, err });
      }
    }
    this.#sending = undefined;
  }
}
