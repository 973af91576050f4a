import { errorText, TurnBudget } from "../../base/mod.ts";
import { isPodReady } from "../../rules/mod.ts";
import { type Job, JOBS, objectKey, type Pod, PODS } from "../../api/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { deleteAllPods, type PodCreation, slowStart } from "../pods/mod.ts";
import { finalizerRemoval, refOf, serverSays, startAll } from "../running/mod.ts";
import type { JobContext } from "./context.ts";
import { inGroup } from "./gang_objects.ts";
import { hasTrackingFinalizer } from "./job_pods.ts";
import type { SyncAction } from "./metrics.ts";
import { TRACKING_FINALIZER } from "./names.ts";
import { indexedPod, plainPod } from "./new_pod.ts";
import type { Observation } from "./observation.ts";
import type { PodPlan } from "./plan.ts";

/** The numbers of pods after a sync's creations and deletions. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly action: SyncAction;
  /** The first failure, `undefined` if there was none. */
  readonly failure: unknown;
}

/** The numbers before anything was done. */
export function countsBefore({ active, ready, terminating }: Observation): PodCounts {
  return { active: active.length, ready, terminating, action: "reconciling", failure: undefined };
}

/** Creates and deletes pods as planned. Never rejects. */
export async function carryOut(plan: PodPlan, observed: Observation, context: JobContext): Promise<PodCounts> {
  const counts = countsBefore(observed);
  switch (plan.action) {
    case "none":
      return { ...counts, action: "tracking" };
    case "wait":
      enqueueAfterBackoff(observed.job, plan.delayMs, context);
      return { ...counts, action: "pods_created" };
    case "delete":
      return { ...await deletePods(plan.pods, observed, context), action: "pods_deleted" };
    case "create":
      return { ...counts, ...await createPods(plan, observed, context), action: "pods_created" };
  }
}

/**
 * Deletes the active pods of a Job that must end. Their finalizers stay, because the pods must still be counted.
 *
 * @returns The resulting numbers, with `active` 0 only if every deletion succeeded. Never rejects.
 */
export async function endPods(observed: Observation, context: JobContext): Promise<PodCounts> {
  const { job: parent, active } = observed;
  const { podControl, world: { clock } } = context;
  const failures = await deleteAllPods(active, { podControl, parent, budget: new TurnBudget(clock) });
  // Even pods that could not be deleted no longer count as ready, as upstream.
  return countsAfter(observed, {
    deleted: active.length - failures.length,
    failure: failures.at(0),
    ready: observed.ready,
  });
}

/** Backoffs shorter than the batching of pod events make no difference. */
const SHORTEST_BACKOFF_MS = 1_000;

function enqueueAfterBackoff(job: Job, delayMs: number, { queue }: JobContext): void {
  queue.addAfter(objectKey(job), Math.max(delayMs, SHORTEST_BACKOFF_MS), { due: "backoff after a failed pod passed" });
}

/** Pods that must not be counted lose their finalizer first; otherwise their deletion would not complete. */
async function deletePods(pods: readonly Pod[], observed: Observation, context: JobContext): Promise<PodCounts> {
  const { job } = observed;
  const key = objectKey(job);
  context.expectations.set(key, { del: pods.length });
  let ready = 0;
  const results = await startAll(pods.length, async (i) => {
    const pod = pods[i];
    try {
      await removeFinalizer(pod, context);
      if (isPodReady(pod)) ready++;
      await context.podControl.delete(refOf(pod), job);
    } catch (error) {
      context.expectations.observeDeletion(key); // no event will come for it
      if (!serverSays(error, isNotFound)) throw error;
    }
  }, new TurnBudget(context.world.clock));
  const failed = results.filter((result) => result.status === "rejected");
  return countsAfter(observed, { deleted: results.length - failed.length, failure: failed.at(0)?.reason, ready });
}

function countsAfter(
  observed: Observation,
  { deleted, ready, failure }: { readonly deleted: number; readonly ready: number; readonly failure: unknown },
): PodCounts {
  const before = countsBefore(observed);
  return {
    ...before,
    active: before.active - deleted,
    ready: before.ready - ready,
    terminating: before.terminating + deleted,
    failure,
  };
}

async function createPods(
  { count, indexes }: PodPlan & { readonly action: "create" },
  observed: Observation,
  context: JobContext,
): Promise<Pick<PodCounts, "active" | "failure">> {
  const { job } = observed;
  const key = objectKey(job);
  const plain = plainPod(job);
  const creationOf = (call: number): PodCreation => {
    const index = indexes?.[call];
    return index === undefined ? plain : indexedPod(job, index, observed.indexes?.delayed.get(index));
  };
  context.expectations.set(key, { add: count });
  let requests = 0;
  let failures = 0;
  const { successes, error } = await slowStart(count, async (call) => {
    requests++;
    try {
      context.guard.wrotePod(await context.podControl.create(inGroup(creationOf(call), observed.podGroup)));
    } catch (error) {
      // Every creation will fail until the namespace is gone, so just let the expectation expire.
      if (serverSays(error, isNamespaceTerminating)) return void requests--;
      failures++;
      throw error;
    }
  }, context.world);
  if (successes < count) context.expectations.lower(key, { add: count - successes });
  context.metrics.podsCreated(creationReason(observed), { succeeded: requests, failed: failures });
  return { active: observed.active.length + successes, failure: error };
}

/** Why pods are created, for the metric. */
function creationReason({ job, failed, terminating }: Observation): string {
  if (failed > 0 && job.spec?.podReplacementPolicy === "Failed") return "recreate_failed";
  return failed > 0 || terminating > 0 ? "recreate_terminating_or_failed" : "new";
}

/**
 * Removes the tracking finalizer from a pod, unless the cached pod has none.
 *
 * @throws {StatusError} Also if the pod does not exist.
 */
export async function removeFinalizer(
  pod: Pod,
  { client, guard }: Pick<JobContext, "client" | "guard">,
): Promise<void> {
  if (!hasTrackingFinalizer(pod)) return;
  const body = { metadata: finalizerRemoval(TRACKING_FINALIZER) };
  guard.wrotePod(await client.patchMetadata(PODS, refOf(pod), { type: "strategic", body }));
}

/**
 * Writes the status.
 *
 * @param what The purpose, for the error message.
 * @throws {Error} `tracking status: ...`, with the failure as its cause.
 */
export async function putStatus(job: Job, what: string, { client, guard }: JobContext): Promise<Job> {
  try {
    const written = await client.updateStatus(JOBS, job);
    guard.wroteOwner(written);
    return written;
  } catch (error) {
    throw new Error(`tracking status: ${what}: ${errorText(error)}`, { cause: error });
  }
}
