import type { Clock } from "../../base/mod.ts";
import { periodically } from "../running/mod.ts";

/** How often the clock is checked. */
const LOOK_MS = 5_000;
/** A check this late does not count as a freeze. */
const LATE_MS = 2_000;
/** How long watches may take to deliver what happened meanwhile. */
const SETTLING_MS = 5_000;

/**
 * The time that passes while this process runs. If the process was frozen for an hour, nodes have not been silent for
 * an hour: this process was not there to hear them.
 *
 * Contract:
 * 1. Time passes as by the monotonic clock while the process runs.
 * 2. Time in which nothing ran, or the machine slept, counts for seven seconds at most.
 * 3. It is settling for five seconds after such a time, or after something came two seconds late: caches may be far
 *    behind.
 * 4. A wall clock that is set back changes nothing.
 */
export class WakingTime {
  readonly #clock: Clock;
  #monotonicMs: number;
  #wallMs: number;
  #passedMs = 0;
  /** In waking time. */
  #settledAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#monotonicMs = clock.monotonicMs();
    this.#wallMs = clock.wallMs();
  }

  /** Keeps time until `signal` aborts. Earlier time does not count. */
  async run(signal: AbortSignal): Promise<void> {
    this.#monotonicMs = this.#clock.monotonicMs();
    this.#wallMs = this.#clock.wallMs();
    await periodically({ clock: this.#clock, signal, periodMs: LOOK_MS }, () => void this.nowMs());
  }

  /** Milliseconds since an arbitrary start. */
  nowMs(): number {
    const [monotonicMs, wallMs] = [this.#clock.monotonicMs(), this.#clock.wallMs()];
    const gapMs = monotonicMs - this.#monotonicMs;
    this.#passedMs += Math.min(gapMs, LOOK_MS + LATE_MS);
    // On some machines the monotonic clock stops during sleep.
    const sleptMs = wallMs - this.#wallMs - gapMs;
    if (gapMs > LOOK_MS + LATE_MS || sleptMs > LATE_MS) this.#settledAtMs = this.#passedMs + SETTLING_MS;
    this.#monotonicMs = monotonicMs;
    this.#wallMs = wallMs;
    return this.#passedMs;
  }

  /**
   * For how many milliseconds caches may still be far behind; 0 if they may be trusted.
   *
   * @param plannedMs When the caller should have run, by the monotonic clock.
   */
  settlingMs(plannedMs: number = Infinity): number {
    const nowMs = this.nowMs();
    if (this.#monotonicMs - plannedMs > LATE_MS) this.#settledAtMs = Math.max(this.#settledAtMs, nowMs + SETTLING_MS);
    return Math.max(0, this.#settledAtMs - nowMs);
  }
}
