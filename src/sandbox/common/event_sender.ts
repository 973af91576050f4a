import { RingBuffer, type World } from "../../base/mod.ts";

/** An event that waits to be written. */
interface Waiting {
  readonly reason: string;
  write(signal: AbortSignal): Promise<void>;
}

/** Distinct events that are still known when they happen again. */
export const REMEMBERED_EVENTS = 4096;

/**
 * Writes events, one after the other, without ever keeping anybody waiting.
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
  readonly #waiting = new RingBuffer<Waiting>({ initialCapacity: 16 });
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;
  #order = 0;
  #dropped = 0;

  /** @param capacity Events that may wait to be written. Default 5000. */
  constructor(world: World, capacity = 5000) {
    this.#world = world;
    this.#capacity = capacity;
  }

  /** Events that were not written because too many were waiting, or because the server refused them. */
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

  /** A name for an event about an object called `about`, and for no other. Upstream: `util.GenerateEventName`. */
  nameFor(about: string | undefined): string {
    const order = (this.#order++ % 1_000_000).toString(16).padStart(5, "0");
    return `${about}.${Math.floor(this.#world.clock.wallMs()).toString(16)}${order}`;
  }

  /** Drops what waits; resolves when nothing is being sent any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #send(): Promise<void> {
    await undefined; // not on the stack of the one who tells
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
