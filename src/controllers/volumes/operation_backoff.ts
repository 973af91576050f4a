const INITIAL_MS = 500;
const LONGEST_MS = 122_000;

/** The last failure of an operation. Upstream: `pkg/util/goroutinemap/exponentialbackoff`. */
export interface Failure {
  /** When, by the monotonic clock. */
  readonly atMs: number;
  /** How long it may not be retried after that. */
  readonly windowMs: number;
}

/** A new failure following `previous`, if that one still counts. */
export function failureAfter(previous: Failure | undefined, nowMs: number): Failure {
  return { atMs: nowMs, windowMs: previous ? Math.min(2 * previous.windowMs, LONGEST_MS) : INITIAL_MS };
}

/** Whether it is too early to retry. */
export function isBackingOff({ atMs, windowMs }: Failure, nowMs: number): boolean {
  return nowMs - atMs <= windowMs;
}

/** When it may be retried, rounded so that a timer set for then never fires too early. */
export function retryAtMs({ atMs, windowMs }: Failure): number {
  return atMs + windowMs + 1;
}

/** How long a failure is remembered if the operation is not retried; it may never be wanted again. */
export const FORGOTTEN_AFTER_MS = 3_600_000;
