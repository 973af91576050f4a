import { type Clock, nextTurn, type Timer } from "./clock.ts";
import { Heap } from "./heap.ts";

interface Pending {
  readonly atMs: number;
  readonly order: number;
  readonly fn: () => void;
  cancelled: boolean;
}

/**
 * A clock that moves only when told to.
 *
 * Contract:
 * 1. Timers fire in order of their time, equal times in the order in which they were set.
 * 2. Between two timers, and before `advance` returns, everything that is ready to run has run.
 * 3. A timer set while time advances fires in the same `advance` if its time is reached.
 * 4. A jump of the wall clock fires no timer and delays none: they go by the monotonic clock.
 * 5. Time never goes back, even if an `advance` ends after another one that began earlier.
 *
 * @example
 * ```ts
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * let fired = false;
 * clock.setTimer(10 * 60_000, () => fired = true);
 * await clock.advance(10 * 60_000);
 * assertEquals(fired, true);
 * ```
 */
export class FakeClock implements Clock {
  #nowMs = 0;
  #order = 0;
  #firedTimers = 0;
  /** The wall clock's lead over the monotonic clock. */
  #wallOffsetMs: number;
  readonly #timers = new Heap<Pending>((a, b) => a.atMs - b.atMs || a.order - b.order);

  /** @param options.startWallMs The wall clock's initial time. */
  constructor({ startWallMs = Date.UTC(2026, 0, 1) }: { startWallMs?: number } = {}) {
    this.#wallOffsetMs = startWallMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }

  /**
   * Sets the wall clock forward by `ms`, or back if that is negative, as an administrator or NTP would. No time passes:
   * the monotonic clock and all timers are unaffected.
   *
   * @example
   * ```ts
   * import { FakeClock } from "kubeloop/world";
   * import { assertEquals } from "@std/assert";
   *
   * const clock = new FakeClock({ startWallMs: Date.UTC(2026, 0, 1) });
   * clock.jumpWall(-3_600_000);
   * assertEquals([new Date(clock.wallMs()).toISOString(), clock.monotonicMs()], ["2025-12-31T23:00:00.000Z", 0]);
   * ```
   */
  jumpWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    const pending = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, fn, cancelled: false };
    this.#timers.push(pending);
    return { cancel: () => void (pending.cancelled = true) };
  }

  nextTurn(): Promise<void> {
    return nextTurn();
  }

  /** The number of pending timers. A test should end with 0. */
  get pendingTimers(): number {
    return [...this.#timers].filter((timer) => !timer.cancelled).length;
  }

  /** The number of timers that have fired: while it stays the same, nothing that waits for the clock has gone on. */
  get firedTimers(): number {
    return this.#firedTimers;
  }

  /** How long until the next timer, or `undefined` when there is none. */
  get nextTimerInMs(): number | undefined {
    this.#dropCancelled();
    const next = this.#timers.peek();
    return next && next.atMs - this.#nowMs;
  }

  /** Advances time by `ms`, fires due timers, and lets everything that is ready run. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (this.#dropCancelled(); this.#timers.length > 0; this.#dropCancelled()) {
      const next = this.#timers.peek()!;
      if (next.atMs > untilMs) break;
      this.#timers.pop();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#firedTimers++;
      next.fn();
      await settle();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /**
   * Advances from timer to timer until `condition` holds.
   *
   * @throws {Error} If `limitMs` of fake time pass, or no timer is left, before it does.
   */
  async advanceUntil(condition: () => boolean, { limitMs = 3_600_000 }: { limitMs?: number } = {}): Promise<void> {
    const startMs = this.#nowMs;
    await settle();
    while (!condition()) {
      const stepMs = this.nextTimerInMs;
      if (stepMs === undefined || this.#nowMs + stepMs - startMs > limitMs) {
        const why = stepMs === undefined ? "no timer is left" : `${limitMs} ms have passed`;
        throw new Error(`Condition did not come true: ${why}`);
      }
      await this.advance(stepMs);
    }
  }

  #dropCancelled(): void {
    while (this.#timers.peek()?.cancelled) this.#timers.pop();
  }
}

/** Lets every promise, stream and microtask that is ready run, by giving the event loop a few real turns. */
export async function settle(turns = 3): Promise<void> {
  for (let i = 0; i < turns; i++) await nextTurn();
}
