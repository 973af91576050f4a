import { deepEqual } from "../../base/mod.ts";
import { objectKey, type Pod } from "../../api/mod.ts";
import type { EventHandler, Lister } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { queueWhenAvailable, type UidExpectations } from "../pods/mod.ts";
import { childHandler, parentHandler, type WriteGuard } from "../running/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";

/** The handlers' context. */
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
  return parentHandler({
    kind: kind.resource.kind.toLowerCase(),
    queue,
    onGone: (key, uid) => {
      guard?.clear(key, uid);
      expectations.delete(key); // one created later under this name starts clean
    },
  });
}

/** A change of a pod queues its owner, or those that could want to adopt it, and is what expectations wait for. */
export function podHandler<T extends ReplicaOwner>(
  { kind, owners, queue, expectations }: ReplicaHandlerOptions<T>,
): EventHandler<Pod> {
  const handler = childHandler<T, Pod>({
    child: "pod",
    parentKind: kind.resource.kind,
    parents: owners,
    queue,
    selectorOf: kind.selectorOf,
    // A graceful deletion takes long, and the replacement need not wait for its end.
    deletingIsDeleted: true,
    onCreated: (key) => expectations.observeCreation(key),
    onDeleted: (key, pod) => expectations.observeDeletion(key, objectKey(pod)),
    onUpdated: (owner, before, pod) =>
      queueWhenAvailable(queue, { owner, minReadySeconds: kind.minReadySecondsOf(owner), before, pod }),
  });
  return {
    ...handler,
    onUpdate: (before, pod) => {
      handler.onUpdate?.(before, pod);
      // The previous owner lost the relabelled pod too.
      if (pod.metadata?.deletionTimestamp && isRelabelled(before, pod)) handler.onDelete?.(before);
    },
  };
}

function isRelabelled(before: Pod, pod: Pod): boolean {
  return !deepEqual(before.metadata?.labels ?? {}, pod.metadata?.labels ?? {});
}
