import { deepEqual } from "../../base/mod.ts";
import { controllerOf, isPodReady, objectKey, type OwnerReference, type Pod } from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf, type Lister } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import {
  cause,
  changeOf,
  parentsMatching,
  resolveControllerRef,
  type UidExpectations,
  validSelectorOfCached,
  type WriteGuard,
} from "../common/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";

/** Where events are turned into keys. */
export interface ReplicaHandlerOptions<T extends ReplicaOwner> {
  readonly kind: ReplicaKind<T>;
  readonly owners: Pick<Lister<T>, "get" | "list">;
  readonly queue: Pick<WorkQueue, "add" | "addAfter">;
  readonly expectations: UidExpectations;
  readonly guard?: Pick<WriteGuard, "clear">;
}

/** What happens to a ReplicaSet (or ReplicationController) queues it. */
export function ownerHandler<T extends ReplicaOwner>(
  { kind, queue, expectations, guard }: ReplicaHandlerOptions<T>,
): EventHandler<T> {
  const what = kind.resource.kind.toLowerCase();
  const onGone = (key: string, uid: string | undefined) => {
    guard?.clear(key, uid);
    expectations.delete(key); // one created later under this name starts clean
    queue.add(key, cause(what, key, "deleted"));
  };
  return {
    onAdd: (owner) => queue.add(objectKey(owner), cause(what, owner, "added")),
    onUpdate: (before, owner) => {
      // Created again during a gap of the watch.
      if (before.metadata?.uid !== owner.metadata?.uid) onGone(objectKey(before), before.metadata?.uid);
      queue.add(objectKey(owner), cause(what, owner, changeOf(before, owner)));
    },
    onDelete: (deleted) => onGone(deletedKey(deleted), finalStateOf(deleted)?.metadata?.uid),
  };
}

/** What happens to a pod queues its owner, or those that could want to adopt it, and is what expectations wait for. */
export function podHandler<T extends ReplicaOwner>(options: ReplicaHandlerOptions<T>): EventHandler<Pod> {
  return {
    onAdd: (pod) => onPodAdded(pod, options),
    onUpdate: (before, pod) => onPodUpdated(before, pod, options),
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) onPodDeleted(pod, options);
    },
  };
}

function onPodAdded<T extends ReplicaOwner>(pod: Pod, options: ReplicaHandlerOptions<T>): void {
  // After a restart a pod may be seen first while it is going already; it must not count as a creation.
  if (pod.metadata?.deletionTimestamp) return onPodDeleted(pod, options);
  const controller = controllerOf(pod);
  if (!controller) return enqueueMatching(pod, "added", options);
  const owner = resolve(pod, controller, options);
  if (!owner) return;
  const key = objectKey(owner);
  options.expectations.observeCreation(key);
  options.queue.add(key, cause("pod", pod, "added"));
}

function onPodUpdated<T extends ReplicaOwner>(before: Pod, pod: Pod, options: ReplicaHandlerOptions<T>): void {
  if (before.metadata?.resourceVersion === pod.metadata?.resourceVersion) return; // a replay of the cache
  const { kind, queue } = options;
  const labelsChanged = () => !deepEqual(before.metadata?.labels ?? {}, pod.metadata?.labels ?? {});
  if (pod.metadata?.deletionTimestamp) {
    // A graceful deletion takes long, and its replacement need not wait for the end of it.
    onPodDeleted(pod, options);
    if (labelsChanged()) onPodDeleted(before, options);
    return;
  }
  const controller = controllerOf(pod);
  const controllerBefore = controllerOf(before);
  const controllerChanged = !deepEqual(controllerBefore, controller);
  if (controllerChanged && controllerBefore) {
    const owner = resolve(before, controllerBefore, options);
    if (owner) queue.add(objectKey(owner), cause("pod", pod, "updated"));
  }
  if (!controller) {
    if (controllerChanged || labelsChanged()) enqueueMatching(pod, "updated", options);
    return;
  }
  const owner = resolve(pod, controller, options);
  if (!owner) return;
  const key = objectKey(owner);
  queue.add(key, cause("pod", pod, "updated"));
  const minReadySeconds = kind.minReadySecondsOf(owner);
  if (minReadySeconds > 0 && !isPodReady(before) && isPodReady(pod)) {
    queue.addAfter(key, minReadySeconds * 1000, `minReadySeconds of pod/${objectKey(pod)} passed`);
  }
}

function onPodDeleted<T extends ReplicaOwner>(pod: Pod, options: ReplicaHandlerOptions<T>): void {
  const controller = controllerOf(pod);
  const owner = controller && resolve(pod, controller, options);
  if (!owner) return; // nobody misses an orphan
  const key = objectKey(owner);
  options.expectations.observeDeletion(key, objectKey(pod));
  options.queue.add(key, cause("pod", pod, "deleted"));
}

function enqueueMatching<T extends ReplicaOwner>(
  pod: Pod,
  what: "added" | "updated",
  { kind, owners, queue }: ReplicaHandlerOptions<T>,
): void {
  const owner = (candidate: T) => validSelectorOfCached(kind.selectorOf(candidate));
  for (const parent of parentsMatching(owners, pod, owner)) queue.add(objectKey(parent), cause("pod", pod, what));
}

function resolve<T extends ReplicaOwner>(
  pod: Pod,
  controller: OwnerReference,
  { kind, owners }: ReplicaHandlerOptions<T>,
): T | undefined {
  return resolveControllerRef(owners, kind.resource.kind, pod, controller);
}
