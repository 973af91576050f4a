import { TurnBudget } from "../../base/mod.ts";
import { formatTime, type Job, type JobCondition, type JobStatus, objectKey } from "../../api/mod.ts";
import { finishedCondition } from "../pods/mod.ts";
import { byKey } from "../running/mod.ts";
import { carryOut, countsBefore, endPods, type PodCounts } from "./actions.ts";
import { nextBackoff, NO_BACKOFF, remainingBackoffMs } from "./backoff.ts";
import { claimTrackedPods } from "./claimed_pods.ts";
import { CONDITION, ensureCondition } from "./conditions.ts";
import type { JobContext } from "./context.ts";
import { completionsReached, decideEnding } from "./ending.ts";
import type { SyncAction } from "./metrics.ts";
import { type Observation, observe } from "./observation.ts";
import { planPods } from "./plan.ts";
import { isSuspended, otherManager } from "./spec.ts";
import { track } from "./status.ts";
import { planTracking } from "./tracking.ts";

/**
 * Brings one Job a step closer to its end.
 * Upstream: `pkg/controller/job/job_controller.go` (syncJob).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: the caches are behind our own writes, or a write failed.
 */
export async function syncJob(key: string, context: JobContext): Promise<void> {
  const { world: { clock }, guard, recorder } = context;
  guard.ensureReady(key);
  const job = byKey(context.jobs, key);
  if (!job) return forget(key, context);
  if (otherManager(job) !== undefined) return;
  const uid = job.metadata?.uid ?? "";
  if (finishedCondition(job)) {
    context.backoffs.delete(key);
    context.ended.delete(uid);
    return guard.clear(key, uid);
  }
  if (context.ended.has(uid)) return; // the cache does not show it yet
  const mode = job.spec?.completionMode ?? "NonIndexed";
  if (mode !== "NonIndexed" && mode !== "Indexed") {
    const message = "Skipped Job sync because completion mode is unknown";
    return recorder.event(job, "Warning", "UnknownCompletionMode", message);
  }

  const startedMs = clock.monotonicMs();
  const progress: Progress = { action: "reconciling" };
  let isError = true;
  try {
    await reconcile(job, context, progress);
    isError = false;
  } finally {
    context.metrics.synced(job, { ...progress, isError, durationMs: clock.monotonicMs() - startedMs });
  }
}

/** The data for a sync's metrics, however it ends. */
interface Progress {
  action: SyncAction;
}

function forget(key: string, { expectations, finalizers, guard, backoffs }: JobContext): void {
  expectations.delete(key);
  finalizers.delete(key);
  guard.clear(key);
  backoffs.delete(key);
}

async function reconcile(job: Job, context: JobContext, progress: Progress): Promise<void> {
  const { world: { clock }, queue } = context;
  const key = objectKey(job);
  // Before the pods are listed: an event in between makes this sync do too little, never too much.
  const isSatisfied = context.expectations.isSatisfied(key);
  const awaited = context.finalizers.awaited(key);
  const budget = new TurnBudget(clock);
  const pods = await claimTrackedPods(job, { ...context, budget });
  const podGroup = await context.gangs?.groupOf(job, pods);
  const observed: Observation = { ...observe(job, pods, awaited), podGroup };
  if (budget.spent) await budget.nextTurn(); // examining ten thousand pods takes long, and so does sorting them
  const { newSucceeded, newFailed } = observed;
  const backoff = nextBackoff(context.backoffs.get(key) ?? NO_BACKOFF, newSucceeded, newFailed);
  const nowMs = clock.wallMs();
  const startTime = job.status?.startTime ?? (isSuspended(job) ? undefined : formatTime(nowMs));
  const { condition, deadlineInMs } = decideEnding(observed, { startTime, nowMs });
  if (deadlineInMs !== undefined) queue.addAfter(key, deadlineInMs, { due: "activeDeadlineSeconds passed" });

  const step = condition
    ? await end(condition, observed, { context, isSatisfied })
    : await carryOn(observed, { context, isSatisfied, backoffMs: remainingBackoffMs(backoff, nowMs) });
  progress.action = step.counts.action;
  const { active, ready, terminating, failure } = step.counts;
  const suspended = step.managed ? suspension(job, context) : undefined;
  const status: JobStatus = {
    ...job.status,
    uncountedTerminatedPods: job.status?.uncountedTerminatedPods ?? {},
    startTime,
    ...suspended,
    active,
    ready,
    terminating,
  };
  const plan = planTracking(observed, {
    status,
    ending: step.ending,
    needsWrite: suspended !== undefined || active !== (job.status?.active ?? 0) || ready !== job.status?.ready ||
      terminating !== job.status?.terminating,
    nowMs: clock.wallMs(),
  });
  await track(job, plan, { backoff, terminating, context });
  if (failure !== undefined) throw failure;
}

/** The result of a sync's pod changes, and whether the Job ends. */
interface Step {
  readonly counts: PodCounts;
  readonly ending: JobCondition | undefined;
  /** Whether the number of pods was adjusted and the Job continues. */
  readonly managed: boolean;
}

interface StepOptions {
  readonly context: JobContext;
  /** Whether the caches show all the pods that earlier syncs have created and deleted. */
  readonly isSatisfied: boolean;
}

/** Deletes the pods of a Job that is over. It does not count as over while there may be pods that were not deleted. */
async function end(ending: JobCondition, observed: Observation, { context, isSatisfied }: StepOptions): Promise<Step> {
  const counts = await endPods(observed, context);
  return { counts, ending: counts.active === 0 && isSatisfied ? ending : undefined, managed: false };
}

async function carryOn(
  observed: Observation,
  { context, isSatisfied, backoffMs }: StepOptions & { readonly backoffMs: number },
): Promise<Step> {
  const { job } = observed;
  const nowMs = context.world.clock.wallMs();
  const mayManage = isSatisfied && !job.metadata?.deletionTimestamp;
  const counts = mayManage
    ? await carryOut(planPods(observed, { backoffMs, nowMs }), observed, context)
    : countsBefore(observed);
  const { completions } = job.spec ?? {};
  const isComplete = counts.active === 0 &&
    (completions === undefined ? observed.succeeded > 0 : observed.succeeded >= completions);
  if (isComplete) return { counts, ending: completionsReached(context.world.clock.wallMs()), managed: false };
  return { counts, ending: undefined, managed: mayManage };
}

/**
 * The change of a Job's status about its suspension, with an event; `undefined` if there is none. The active time,
 * which its deadline counts, restarts when it is resumed.
 */
function suspension(
  job: Job,
  { recorder, world, keepsStartTime }: Pick<JobContext, "recorder" | "world" | "keepsStartTime">,
): Pick<JobStatus, "conditions" | "startTime"> | undefined {
  const nowMs = world.clock.wallMs();
  const says = isSuspended(job)
    ? { status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { status: "False", reason: "JobResumed", message: "Job resumed" };
  const conditions = ensureCondition(job.status?.conditions, { type: CONDITION.suspended, ...says }, nowMs);
  if (!conditions) return undefined;
  recorder.event(job, "Normal", isSuspended(job) ? "Suspended" : "Resumed", says.message);
  if (!isSuspended(job)) return { conditions, startTime: formatTime(nowMs) };
  return keepsStartTime ? { conditions } : { conditions, startTime: undefined };
}
