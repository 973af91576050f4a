import type { Job, Pod } from "../../api/mod.ts";
import { hasFinalizer } from "../running/mod.ts";
import { parseInteger } from "./indexes.ts";
import { COMPLETION_INDEX, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT, TRACKING_FINALIZER } from "./names.ts";
import { indexCount, replacesOnlyFailed } from "./spec.ts";

const LARGEST_INT32 = 2 ** 31 - 1;

export function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? "";
}

/** Whether the pod waits to be counted. */
export function hasTrackingFinalizer(pod: Pod): boolean {
  return hasFinalizer(pod, TRACKING_FINALIZER);
}

/** The completion index in the pod's annotation, `undefined` if there is none. */
export function completionIndex(pod: Pod): number | undefined {
  const index = parseInteger(pod.metadata?.annotations?.[COMPLETION_INDEX]);
  return index === undefined || index < 0 ? undefined : index;
}

/** The pod's completion index if the Job has it. */
export function validIndex(pod: Pod, job: Job): number | undefined {
  const index = completionIndex(pod);
  return index !== undefined && index < indexCount(job) ? index : undefined;
}

/** The completion indexes of these pods. */
export function indexesOf(pods: readonly Pod[]): Set<number> {
  return new Set(pods.map(completionIndex).filter((index) => index !== undefined));
}

export function hasSucceeded(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded";
}

/**
 * Whether the pod counts as failed: by its phase and, unless only failed pods are replaced, also if it is being
 * deleted, because on a lost node it never reaches that phase. Upstream: `pkg/controller/job/job_controller.go`
 * (isPodFailed).
 */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && Boolean(pod.metadata?.deletionTimestamp) && !hasSucceeded(pod);
}

/** How often the pod's index had failed before it. */
export function indexFailures(pod: Pod): number {
  return parseCount(pod.metadata?.annotations?.[INDEX_FAILURE_COUNT]);
}

/** How many failures of the pod's index were ignored before it. */
export function ignoredIndexFailures(pod: Pod): number {
  return parseCount(pod.metadata?.annotations?.[INDEX_IGNORED_FAILURE_COUNT]);
}

/** All failures of the pod's index before it. */
export function allIndexFailures(pod: Pod): number {
  return indexFailures(pod) + ignoredIndexFailures(pod);
}

/** A count in an annotation, which anybody may have changed: anything but a non-negative 32-bit integer counts as 0. */
export function parseCount(text: string | undefined): number {
  const count = parseInteger(text) ?? 0;
  return count < 0 || count > LARGEST_INT32 ? 0 : count;
}
