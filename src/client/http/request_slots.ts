import { type Clock, Deferred, type Timer } from "../../base/mod.ts";

/** How many requests there may be, and for how long each counts. */
export interface SlotLimits {
  /** Requests in flight at a time. */
  readonly maxInFlight: number;
  /** For how long a request counts, in milliseconds. */
  readonly slowMs: number;
}

/** A request's place among those in flight. */
export interface RequestSlot {
  /** When it was taken, by the monotonic clock, in milliseconds. */
  readonly sinceMs: number;
}

/**
 * Which requests to one server are in flight. Without a bound, each request of a burst needs a connection and a
 * handshake of its own, and the server is no faster for it.
 *
 * Contract:
 * 1. At most `maxInFlight` requests hold a slot; further ones wait, and get one in the order in which they came.
 * 2. A request holds its slot for `slowMs` at most: those that the server keeps waiting, for a webhook say, hold up no
 *    others.
 * 3. An aborted signal takes a request out of the line, and so does `close`; a slot is never lost to one that has gone.
 */
export class RequestSlots {
  readonly #clock: Clock;
  readonly #limits: SlotLimits;
  /** The one taken first comes first. */
  readonly #held = new Set<RequestSlot>();
  readonly #waiters = new Set<Deferred<RequestSlot>>();
  #timer?: Timer;

  constructor(clock: Clock, limits: SlotLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Waits for a slot, which is given back by {@link release}.
   *
   * @throws The signal's reason, or that of {@link close}.
   */
  async take(signal?: AbortSignal): Promise<RequestSlot> {
    signal?.throwIfAborted();
    if (this.#held.size < this.#limits.maxInFlight) return this.#hold();
    const waiter = new Deferred<RequestSlot>();
    const onAbort = () => {
      if (this.#waiters.delete(waiter)) waiter.reject(signal?.reason);
      this.#watchOldest();
    };
    this.#waiters.add(waiter);
    signal?.addEventListener("abort", onAbort);
    this.#watchOldest();
    try {
      return await waiter.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Its request has ended. Idempotent. */
  release(slot: RequestSlot): void {
    if (this.#held.delete(slot)) this.#admit();
  }

  /** Fails the requests that wait. */
  close(reason: Error): void {
    for (const waiter of this.#waiters) waiter.reject(reason);
    this.#waiters.clear();
    this.#watchOldest();
  }

  #hold(): RequestSlot {
    const slot = { sinceMs: this.#clock.monotonicMs() };
    this.#held.add(slot);
    return slot;
  }

  #admit(): void {
    for (const waiter of this.#waiters) {
      if (this.#held.size >= this.#limits.maxInFlight) break;
      this.#waiters.delete(waiter);
      waiter.resolve(this.#hold());
    }
    this.#watchOldest();
  }

  /** While somebody waits, there is a timer for the slot that was taken first. */
  #watchOldest(): void {
    if (this.#waiters.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      return;
    }
    if (this.#timer) return;
    const [oldest] = this.#held;
    const leftMs = oldest.sinceMs + this.#limits.slowMs - this.#clock.monotonicMs();
    this.#timer = this.#clock.setTimer(Math.max(0, leftMs), () => {
      this.#timer = undefined;
      this.#dropSlow();
      this.#admit();
    });
  }

  #dropSlow(): void {
    const takenBeforeMs = this.#clock.monotonicMs() - this.#limits.slowMs;
    for (const slot of this.#held) {
      if (slot.sinceMs > takenBeforeMs) return;
      this.#held.delete(slot);
    }
  }
}
