import { isRawNumber, numberText } from "../../base/mod.ts";

/** The most that Go's `time.Duration` holds: 292 years in nanoseconds. */
const MOST_SECONDS = 9_223_372_036;

/**
 * Converts a number of seconds in an object to milliseconds as upstream does. Its durations count nanoseconds in 64
 * bits, so more than 292 years wrap around and a deadline of 2^63-1 seconds lies in the past.
 *
 * @example
 * ```ts
 * import { secondsAsGoMs } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(secondsAsGoMs(60), 60_000);
 * assertEquals(secondsAsGoMs(9_223_372_037) < 0, true);
 * ```
 */
export function secondsAsGoMs(seconds: number): number {
  // Integers that JavaScript cannot represent exactly are kept as text.
  if (!isRawNumber(seconds) && Math.abs(seconds) <= MOST_SECONDS) return seconds * 1000;
  return Number(BigInt.asIntN(64, BigInt(numberText(seconds)) * 1_000_000_000n)) / 1e6;
}
