import type { Pod } from "../../api/mod.ts";
import { byFinishTime, finishedAtMs } from "./finish_time.ts";
import { allIndexFailures } from "./job_pods.ts";

/** Failures since the last success of a Job. It is kept in memory only: another manager starts without a delay. */
export interface Backoff {
  readonly failures: number;
  /** When the last of them was, in milliseconds since 1970. */
  readonly lastFailureMs: number;
}

/** No failure yet, or a success since. */
export const NO_BACKOFF: Backoff = { failures: 0, lastFailureMs: 0 };

/** After the first failure; it doubles with each one that follows. */
const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 600_000;

/**
 * The failures since the last success, given those before and the pods that have ended since.
 * Upstream: `pkg/controller/job/backoff_utils.go` (newBackoffRecord).
 */
export function nextBackoff(before: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  if (failed.length === 0) return succeeded.length === 0 ? before : NO_BACKOFF;
  const failures = byFinishTime(failed);
  const lastFailureMs = failures.at(-1)!;
  if (succeeded.length === 0) return { failures: before.failures + failures.length, lastFailureMs };
  const lastSuccessMs = byFinishTime(succeeded).at(-1)!;
  const since = failures.filter((atMs) => atMs > lastSuccessMs).length;
  return since === 0 ? NO_BACKOFF : { failures: since, lastFailureMs };
}

/** How long, in milliseconds, no pod may be created yet; 0 if one may. */
export function remainingBackoffMs({ failures, lastFailureMs }: Backoff, nowMs: number): number {
  if (failures === 0) return 0;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
  return Math.max(0, delayMs - (nowMs - lastFailureMs));
}

/** How long no pod may be created for an index yet, by the last failed pod that it had. */
export function remainingIndexBackoffMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (!lastFailed) return 0;
  return remainingBackoffMs(
    { failures: allIndexFailures(lastFailed) + 1, lastFailureMs: finishedAtMs(lastFailed) },
    nowMs,
  );
}
