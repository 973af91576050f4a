import { isPodReady } from "../../rules/mod.ts";
import { type KubeObject, objectKey, type Pod } from "../../api/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** What happened to a pod, and whose it is. */
export interface PodUpdate {
  readonly owner: KubeObject;
  /** For how long the owner wants a pod to be ready before it counts as available. */
  readonly minReadySeconds: number | undefined;
  readonly before: Pod;
  readonly pod: Pod;
  /** How much later to look than the pod should become available. */
  readonly delayMs?: number;
}

/** Queues the owner of a pod that has just become ready for when it will be available, since no event tells of that. */
export function queueWhenAvailable(
  queue: Pick<WorkQueue, "addAfter">,
  { owner, minReadySeconds = 0, before, pod, delayMs = 0 }: PodUpdate,
): void {
  if (minReadySeconds <= 0 || isPodReady(before) || !isPodReady(pod)) return;
  queue.addAfter(objectKey(owner), minReadySeconds * 1000 + delayMs, {
    due: `minReadySeconds of pod/${objectKey(pod)} passed`,
  });
}
