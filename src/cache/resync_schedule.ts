/** The shortest period of replays a handler can ask for, in milliseconds. */
export const MIN_RESYNC_PERIOD_MS = 1000;

/**
 * The period a handler gets: none if it wants none or nobody looks, and never shorter than the informer looks.
 * Upstream: `k8s.io/client-go/tools/cache/shared_informer.go` (determineResyncPeriod).
 */
export function resyncPeriod({ wantedMs, checkMs }: { wantedMs: number; checkMs: number }): number {
  return wantedMs === 0 || checkMs === 0 ? 0 : Math.max(wantedMs, checkMs);
}

/** When one listener is to see the whole cache again. */
export class ResyncSchedule {
  readonly #wantedMs: number;
  #periodMs = 0;
  #nextMs: number;
  /** Whether the replay now going on is meant for this listener. */
  isDue = false;

  constructor({ wantedMs, checkMs, nowMs }: { wantedMs: number; checkMs: number; nowMs: number }) {
    this.#wantedMs = wantedMs;
    this.checkEvery(checkMs);
    this.#nextMs = nowMs + this.#periodMs;
  }

  /** The period in force, in milliseconds; 0 is never. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /** The informer looks each `checkMs` from now on. */
  checkEvery(checkMs: number): void {
    this.#periodMs = resyncPeriod({ wantedMs: this.#wantedMs, checkMs });
  }

  /** Sets {@link ResyncSchedule.isDue} for the replay decided at `nowMs`. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isDue) this.#nextMs = nowMs + this.#periodMs;
    return this.isDue;
  }
}
