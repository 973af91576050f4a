import { deepEqual } from "../../base/mod.ts";
import { controllerOf, type Job, JOBS, objectKey, type OwnerReference, parseTime, type Pod } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { finishedCondition, secondsAsGoMs } from "../pods/mod.ts";
import {
  cause,
  type Change,
  changeOf,
  parentsMatching,
  resolveControllerRef,
  validSelectorOfCached,
} from "../running/mod.ts";
import type { Cause } from "../../workqueue/mod.ts";
import type { JobContext } from "./context.ts";
import { hasTrackingFinalizer } from "./job_pods.ts";
import { orphanKey, selectorKey } from "./orphans.ts";
import { otherManager } from "./spec.ts";

/** The context of event handlers. */
export type JobHandlerContext = Pick<
  JobContext,
  "world" | "jobs" | "queue" | "orphans" | "expectations" | "finalizers" | "guard" | "backoffs" | "ended" | "metrics"
>;

/** How long events of pods and our own writes are batched before a Job is synced. */
const BATCH_MS = 1_000;

/** A change of a Job queues it. */
export function jobHandler(context: JobHandlerContext): EventHandler<Job> {
  const { queue, metrics } = context;
  return {
    onAdd: (job) => {
      queue.addAfter(objectKey(job), 0, cause("job", job, "added"));
      const manager = otherManager(job);
      if (manager !== undefined) metrics.managedByOther(manager);
    },
    onUpdate: (before, job) => {
      // Recreated during a gap in the watch.
      if (before.metadata?.uid !== job.metadata?.uid) onJobGone(objectKey(before), before, context);
      onJobUpdated(before, job, context);
    },
    onDelete: (deleted) => onJobGone(deletedKey(deleted), finalStateOf(deleted), context),
  };
}

function onJobUpdated(before: Job, job: Job, context: JobHandlerContext): void {
  const { queue, world: { clock } } = context;
  // No pod should still have the finalizer; this handles those that do by accident.
  if (finishedCondition(job)) return enqueueSelected(job, "updated", context);
  const key = objectKey(job);
  const isSameSpec = before.metadata?.generation === job.metadata?.generation;
  queue.addAfter(key, isSameSpec ? BATCH_MS : 0, cause("job", job, changeOf(before, job)));
  const { activeDeadlineSeconds } = job.spec ?? {};
  const startTime = job.status?.startTime;
  if (!startTime || activeDeadlineSeconds === undefined) return;
  if (deepEqual(before.spec?.activeDeadlineSeconds, activeDeadlineSeconds)) return;
  const elapsedMs = clock.wallMs() - parseTime(startTime);
  queue.addAfter(key, secondsAsGoMs(activeDeadlineSeconds) - elapsedMs, "activeDeadlineSeconds changed");
}

function onJobGone(key: string, job: Job | undefined, context: JobHandlerContext): void {
  const uid = job?.metadata?.uid;
  context.guard.clear(key, uid);
  context.backoffs.delete(key);
  context.expectations.delete(key); // one created later under this name starts clean
  context.queue.addAfter(key, 0, cause("job", key, "deleted"));
  if (!job) return;
  context.ended.delete(uid ?? "");
  enqueueSelected(job, "deleted", context);
}

function enqueueSelected(job: Job, what: Change, { orphans }: JobHandlerContext): void {
  const key = selectorKey(job);
  if (key !== undefined) orphans.add(key, cause("job", job, what));
}

/** A change of a pod queues its Job, or those that could want to adopt it, and is what expectations wait for. */
export function podHandler(context: JobHandlerContext): EventHandler<Pod> {
  return {
    onAdd: (pod) => {
      countFinalizer(undefined, pod, context);
      onPodAdded(pod, context);
    },
    onUpdate: (before, pod) => {
      countFinalizer(before, pod, context);
      onPodUpdated(before, pod, context);
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (!pod) return;
      countFinalizer(pod, undefined, context);
      onPodDeleted(pod, context, { isFinal: true });
    },
  };
}

/** Counts ended pods that gain or lose the finalizer, of whatever owner. */
function countFinalizer(before: Pod | undefined, pod: Pod | undefined, { metrics }: JobHandlerContext): void {
  const holds = (one: Pod | undefined) => one !== undefined && isPodTerminal(one) && hasTrackingFinalizer(one);
  if (holds(before) !== holds(pod)) metrics.finalizerOfEnded(holds(pod) ? "add" : "delete");
}

function onPodAdded(pod: Pod, context: JobHandlerContext): void {
  // After a restart, a pod may first be seen while terminating; it must not count as a creation.
  if (pod.metadata?.deletionTimestamp) return onPodDeleted(pod, context, { isFinal: false });
  const controller = controllerOf(pod);
  if (!controller) {
    enqueueOrphan(pod, "added", context);
    return enqueueMatching(pod, "added", context);
  }
  const job = resolve(pod, controller, context);
  if (!job) return;
  context.expectations.observeCreation(objectKey(job));
  enqueueBatched(job, cause("pod", pod, "added"), context);
}

function onPodUpdated(before: Pod, pod: Pod, context: JobHandlerContext): void {
  if (before.metadata?.resourceVersion === pod.metadata?.resourceVersion) return; // a replay of the cache
  // The replacement of a gracefully terminating pod need not wait for its end.
  if (pod.metadata?.deletionTimestamp) return onPodDeleted(pod, context, { isFinal: false });
  const controller = controllerOf(pod);
  const controllerBefore = controllerOf(before);
  const isControllerChanged = !deepEqual(controllerBefore, controller);
  const owners = [isControllerChanged ? controllerBefore : undefined, controller].filter((owner) =>
    owner !== undefined
  );
  for (const owner of owners) {
    const job = resolve(pod, owner, context);
    if (!job) continue;
    // By the new state only: a pod that moves between owners may lose the finalizer and get it again.
    if (!hasTrackingFinalizer(pod)) context.finalizers.observe(objectKey(job), pod.metadata?.uid);
    enqueueBatched(job, cause("pod", pod, "updated"), context);
  }
  if (controller) return;
  enqueueOrphan(pod, "updated", context);
  const isLabelsChanged = !deepEqual(before.metadata?.labels ?? {}, pod.metadata?.labels ?? {});
  if (isLabelsChanged || isControllerChanged) enqueueMatching(pod, "updated", context);
}

/** A pod is gone or, if not final, terminating. */
function onPodDeleted(pod: Pod, context: JobHandlerContext, { isFinal }: { readonly isFinal: boolean }): void {
  const controller = controllerOf(pod);
  const job = controller && resolve(pod, controller, context);
  // The garbage collector may have removed the reference to its Job, and a finished Job counts nothing more.
  if (!controller || !job || finishedCondition(job)) return enqueueOrphan(pod, "deleted", context);
  const key = objectKey(job);
  context.expectations.observeDeletion(key);
  if (isFinal || !hasTrackingFinalizer(pod)) context.finalizers.observe(key, pod.metadata?.uid);
  enqueueBatched(job, cause("pod", pod, "deleted"), context);
}

function enqueueBatched(job: Job, why: Cause, { queue }: JobHandlerContext): void {
  queue.addAfter(objectKey(job), BATCH_MS, why);
}

function enqueueOrphan(pod: Pod, what: Change, { orphans }: JobHandlerContext): void {
  if (hasTrackingFinalizer(pod)) orphans.add(orphanKey(pod), cause("pod", pod, what));
}

function enqueueMatching(pod: Pod, what: Change, context: JobHandlerContext): void {
  const matching = parentsMatching(context.jobs, pod, ({ spec }) => validSelectorOfCached(spec?.selector));
  for (const job of matching) enqueueBatched(job, cause("pod", pod, what), context);
}

function resolve(pod: Pod, controller: OwnerReference, { jobs }: JobHandlerContext): Job | undefined {
  return resolveControllerRef(jobs, JOBS.kind, pod, controller);
}
