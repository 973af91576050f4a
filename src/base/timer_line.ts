import type { Clock, Timer } from "./clock.ts";

const lines = new WeakMap<Clock, Map<number, TimerLine>>();

/**
 * Calls `fn` once after `delayMs` unless cancelled first, as `clock.setTimer` does. It is for limits of which many with
 * the same delay are set and nearly all are cancelled, such as those of requests: those that are pending together have
 * one timer of the platform in common, which costs as much as a dozen of these.
 *
 * Contract:
 * 1. Each is called when its time has come, in the order in which they were set.
 * 2. One that was cancelled is not called, also if another one of the same moment cancels it.
 * 3. When none is pending, no timer is left.
 *
 * @example
 * ```ts
 * import { FakeClock, setSharedTimer } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const late: string[] = [];
 * const first = setSharedTimer(clock, 90_000, () => late.push("first"));
 * setSharedTimer(clock, 90_000, () => late.push("second"));
 * first.cancel();
 * await clock.advance(90_000);
 * assertEquals(late, ["second"]);
 * ```
 */
export function setSharedTimer(clock: Clock, delayMs: number, fn: () => void): Timer {
  const ofClock = lines.get(clock) ?? new Map<number, TimerLine>();
  lines.set(clock, ofClock);
  let line = ofClock.get(delayMs);
  if (!line) ofClock.set(delayMs, line = new TimerLine(clock, { delayMs, onEmpty: () => ofClock.delete(delayMs) }));
  return line.add(fn);
}

interface Entry {
  readonly endMs: number;
  readonly fn: () => void;
}

/** Those of one delay, which end in the order in which they were set. */
class TimerLine {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #onEmpty: () => void;
  readonly #entries = new Set<Entry>();
  #timer: Timer | undefined;

  constructor(clock: Clock, { delayMs, onEmpty }: { readonly delayMs: number; readonly onEmpty: () => void }) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#onEmpty = onEmpty;
  }

  add(fn: () => void): Timer {
    const entry = { endMs: this.#clock.monotonicMs() + this.#delayMs, fn };
    this.#entries.add(entry);
    this.#timer ??= this.#clock.setTimer(this.#delayMs, () => this.#fire());
    return { cancel: () => this.#remove(entry) };
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry) || this.#entries.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#onEmpty();
  }

  #fire(): void {
    const nowMs = this.#clock.monotonicMs();
    try {
      for (const entry of this.#entries) {
        if (entry.endMs > nowMs) break;
        this.#remove(entry);
        entry.fn();
      }
    } finally {
      const [next] = this.#entries;
      this.#timer = next && this.#clock.setTimer(Math.max(0, next.endMs - nowMs), () => this.#fire());
    }
  }
}
