/** Times in the fake worlds of controllers' tests. */
import { formatTime, type PodCondition } from "../../../src/api/mod.ts";

/** When fake worlds begin. */
export const NOW_MS = Date.UTC(2026, 0, 1);

/** The time `seconds` before the world began. */
export function ago(seconds: number): string {
  return formatTime(NOW_MS - seconds * 1000);
}

/** The condition of a pod that has been ready for so many seconds; without them it is not. */
export function readyFor(seconds: number | null | undefined): PodCondition {
  return seconds === null || seconds === undefined
    ? { type: "Ready", status: "False" }
    : { type: "Ready", status: "True", lastTransitionTime: ago(seconds) };
}
