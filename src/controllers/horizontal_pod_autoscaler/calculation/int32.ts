const MOST = 2 ** 31 - 1;

/** What Go's `int64` holds at most. */
export const MOST_INT64 = 2n ** 63n - 1n;

/**
 * A floating point number as a count of replicas: cut off, and as near as 32 bits allow. (What Go makes of a larger one depends
 * on the processor.)
 */
export function toInt32(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.trunc(Math.max(-MOST - 1, Math.min(MOST, value)));
}
