const INITIAL_MS = 500;
const LONGEST_MS = 122_000;

/** How an operation failed last. Upstream: `pkg/util/goroutinemap/exponentialbackoff`. */
export interface Failure {
  /** When, by the monotonic clock. */
  readonly atMs: number;
  /** How long it may not be tried again after that. */
  readonly windowMs: number;
}

/** A failure after `previous`, if that one still counts. */
export function failureAfter(previous: Failure | undefined, nowMs: number): Failure {
  return { atMs: nowMs, windowMs: previous ? Math.min(2 * previous.windowMs, LONGEST_MS) : INITIAL_MS };
}

/** Whether it is too early to try again. */
export function isBackingOff({ atMs, windowMs }: Failure, nowMs: number): boolean {
  return nowMs - atMs <= windowMs;
}

/** From when on it may be tried again, to the millisecond: a timer set for then is never too early. */
export function retryAtMs({ atMs, windowMs }: Failure): number {
  return atMs + windowMs + 1;
}

/** The longest time for which a failure that nobody tried to repeat is remembered: its operation may never be wanted again. */
export const FORGOTTEN_AFTER_MS = 3_600_000;
