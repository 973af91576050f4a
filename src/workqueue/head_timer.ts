import type { Clock, Timer } from "../base/mod.ts";

/** The head is checked at least this often, in case a timer fails. Upstream: `maxWait`. */
const HEARTBEAT_MS = 10_000;

/** A single timer for a heap of times: it runs for the earliest, and not at all if there is none. */
export class HeadTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #timer: Timer | undefined;
  #atMs = 0;

  /** @param wake Called when the time may have come; it must check, and call `arm` again if something is left. */
  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Ensures that `wake` is called at the monotonic time `headMs` or earlier. */
  arm(headMs: number | undefined): void {
    if (headMs === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const atMs = Math.min(headMs, nowMs + HEARTBEAT_MS);
    if (this.#timer && this.#atMs <= atMs) return;
    this.#timer?.cancel();
    this.#atMs = atMs;
    this.#timer = this.#clock.setTimer(atMs - nowMs, () => {
      this.#timer = undefined;
      this.#wake();
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
