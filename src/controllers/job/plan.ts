import { isPodTerminating } from "../../rules/mod.ts";
import { type Pod } from "../../api/mod.ts";
import { remainingIndexBackoffMs } from "./backoff.ts";
import { indexesOf } from "./job_pods.ts";
import type { Observation } from "./observation.ts";
import { podsToRemove } from "./removal_order.ts";
import { hasLimitPerIndex, indexCount, isSuspended, parallelismOf, replacesOnlyFailed } from "./spec.ts";

/** The most pods that one sync creates or deletes. */
const BURST = 500;

/** The plan for the number of active pods. One sync creates or deletes, never both. */
export type PodPlan =
  | { readonly action: "none" }
  | { readonly action: "delete"; readonly pods: readonly Pod[] }
  /** Create nothing yet: the last failure is too recent. */
  | { readonly action: "wait"; readonly delayMs: number }
  /** One pod per index if the Job is Indexed. */
  | { readonly action: "create"; readonly count: number; readonly indexes?: readonly number[] };

export interface PlanOptions {
  /** How long no pod may be created, in milliseconds, if failures are counted for the whole Job. */
  readonly backoffMs: number;
  /** The wall clock. */
  readonly nowMs: number;
}

/** Plans pods by what a Job wants and has. Upstream: `pkg/controller/job/job_controller.go` (manageJob). */
export function planPods(observed: Observation, { backoffMs, nowMs }: PlanOptions): PodPlan {
  const { job, active, terminating } = observed;
  if (isSuspended(job)) return { action: "delete", pods: podsToRemove(job, active, active.length) };
  const wanted = wantedActive(observed);
  const superfluous = podsToRemove(job, active, Math.max(0, active.length - wanted));
  if (superfluous.length > 0) return { action: "delete", pods: superfluous.slice(0, BURST) };

  const missing = wanted - active.length - (replacesOnlyFailed(job) ? terminating : 0);
  if (missing <= 0) return { action: "none" };
  if (!hasLimitPerIndex(job) && backoffMs > 0) return { action: "wait", delayMs: backoffMs };
  const count = Math.min(missing, BURST);
  return observed.indexes ? planIndexes(observed, count, nowMs) : { action: "create", count };
}

/** How many pods should be active. */
function wantedActive({ job, active, succeeded }: Observation): number {
  const completions = job.spec?.completions;
  // Without a number of completions, nothing is started once a pod has succeeded.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelismOf(job);
  return Math.max(0, Math.min(completions - succeeded, parallelismOf(job)));
}

function planIndexes(observed: Observation, count: number, nowMs: number): PodPlan {
  const { job, indexes } = observed;
  const pending = pendingIndexes(observed, count);
  if (!hasLimitPerIndex(job)) return { action: "create", count: pending.length, indexes: pending };
  const waits = pending.map((index) => ({ index, ms: remainingIndexBackoffMs(indexes?.delayed.get(index), nowMs) }));
  const due = waits.filter(({ ms }) => ms === 0).map(({ index }) => index);
  if (due.length > 0 || waits.length === 0) return { action: "create", count: due.length, indexes: due };
  return { action: "wait", delayMs: Math.min(...waits.map(({ ms }) => ms)) };
}

/** The lowest indexes that are neither finished nor have a pod. */
function pendingIndexes({ job, pods, active, indexes }: Observation, count: number): number[] {
  let taken = indexes!.succeeded.with(indexesOf(active));
  if (replacesOnlyFailed(job)) taken = taken.with(indexesOf(pods.filter(isPodTerminating)));
  if (indexes!.failed) taken = taken.union(indexes!.failed);
  return taken.firstMissing(count, indexCount(job));
}
