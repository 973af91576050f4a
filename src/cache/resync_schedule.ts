/** The shortest replay period of a handler, in milliseconds. */
export const MIN_RESYNC_PERIOD_MS = 1000;

/**
 * A handler's replay period: none if it wants none or the informer does not check, and never shorter than the check
 * period.
 * Upstream: `k8s.io/client-go/tools/cache/shared_informer.go` (determineResyncPeriod).
 */
export function resyncPeriod({ wantedMs, checkMs }: { wantedMs: number; checkMs: number }): number {
  return wantedMs === 0 || checkMs === 0 ? 0 : Math.max(wantedMs, checkMs);
}

/** When one listener gets the next replay. */
export class ResyncSchedule {
  readonly #wantedMs: number;
  #periodMs = 0;
  #nextMs: number;
  /** Whether the current replay is for this listener. */
  isDue = false;

  constructor({ wantedMs, checkMs, nowMs }: { wantedMs: number; checkMs: number; nowMs: number }) {
    this.#wantedMs = wantedMs;
    this.checkEvery(checkMs);
    this.#nextMs = nowMs + this.#periodMs;
  }

  /** The effective period in milliseconds; 0 is never. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /** Sets the informer's check period. */
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
