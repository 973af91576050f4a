import { errorText, TurnBudget } from "../../base/mod.ts";
import { type Job, type JobCondition, type JobStatus, objectKey, type Pod } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { serverSays, startAll } from "../running/mod.ts";
import { putStatus, removeFinalizer } from "./actions.ts";
import type { Backoff } from "./backoff.ts";
import { CONDITION } from "./conditions.ts";
import type { JobContext } from "./context.ts";
import { uidOf } from "./job_pods.ts";
import { countUncounted, finishedStatus, type TrackingPlan } from "./tracking.ts";

export interface TrackOptions {
  /** Kept once the status contains what it was computed from. */
  readonly backoff: Backoff;
  /** How many pods are terminating. */
  readonly terminating: number;
}

/**
 * Writes the status, removes finalizers, and writes the status again, in the order that {@link planTracking} explains:
 * if a write fails, nothing that depends on it is done. Upstream: `pkg/controller/job/job_controller.go`
 * (flushUncountedAndRemoveFinalizers).
 *
 * @param cached The Job at the start of the sync.
 * @throws {Error} `tracking status: ...`, with the failure as its cause.
 */
export async function track(
  cached: Job,
  plan: TrackingPlan,
  options: TrackOptions & { readonly context: JobContext },
): Promise<void> {
  const { context } = options;
  const key = objectKey(cached);
  let job: Job = { ...cached, status: plan.status };
  let counted = cached.status ?? {};
  if (plan.needsWrite) {
    job = await putStatus(job, "adding uncounted pods to status", context);
    context.backoffs.set(key, options.backoff);
    context.metrics.podsFinished(job, counted);
    counted = job.status ?? {};
  }
  for (const action of plan.policyActions) context.metrics.policyAction(action);

  const { removed, failure } = await removeFinalizers(key, plan.removals, context);
  const remaining = new Set([...plan.withFinalizer].filter((uid) => !removed.has(uid)));
  const moved = countUncounted(job.status ?? {}, remaining);
  if (moved) job = { ...job, status: moved };
  if (failure !== undefined) {
    if (moved) await putStatus(job, "removing uncounted pods from status", context);
    throw new Error(`tracking status: ${errorText(failure)}`, { cause: failure });
  }
  const ended = endedStatus(job.status ?? {}, plan, options);
  if (!moved && !ended) return;
  const written = await putStatus(
    { ...job, status: ended ?? job.status },
    "removing uncounted pods from status",
    context,
  );
  if (ended) {
    announceEnd(written, plan.final!, context);
    context.ended.add(cached.metadata?.uid ?? "");
  }
  context.metrics.podsFinished(written, counted);
}

function endedStatus(
  status: JobStatus,
  { final, isTruncated }: TrackingPlan,
  { terminating, context }: TrackOptions & { readonly context: JobContext },
): JobStatus | undefined {
  if (!final || isTruncated) return undefined;
  return finishedStatus(status, final, { terminating, nowMs: context.world.clock.wallMs() });
}

/** Removes the finalizer from the pods; one that is gone counts as done. Never rejects. */
async function removeFinalizers(
  key: string,
  pods: readonly Pod[],
  context: JobContext,
): Promise<{ removed: ReadonlySet<string>; failure: unknown }> {
  if (pods.length === 0) return { removed: new Set(), failure: undefined };
  context.finalizers.expect(key, pods.map(uidOf));
  const removed = new Set<string>();
  const results = await startAll(pods.length, async (i) => {
    const uid = uidOf(pods[i]);
    try {
      await removeFinalizer(pods[i], context);
    } catch (error) {
      context.finalizers.observe(key, uid); // no event will come for it
      if (!serverSays(error, isNotFound)) throw error;
    }
    removed.add(uid);
  }, new TurnBudget(context.world.clock));
  return { removed, failure: results.find((result) => result.status === "rejected")?.reason };
}

function announceEnd(job: Job, final: JobCondition, { recorder, metrics }: JobContext): void {
  if (final.type === CONDITION.complete) {
    const completions = job.spec?.completions;
    if (completions !== undefined && (job.status?.succeeded ?? 0) > completions) {
      const message = "Too many succeeded pods running after completion count reached";
      recorder.event(job, "Warning", "TooManySucceededPods", message);
    }
    recorder.event(job, "Normal", "Completed", "Job completed");
  } else {
    recorder.event(job, "Warning", final.reason ?? "", final.message ?? "");
  }
  metrics.jobFinished(job, final);
}
