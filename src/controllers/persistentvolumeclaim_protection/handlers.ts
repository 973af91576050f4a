import { joinKey, type PersistentVolumeClaim, type Pod } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { claimNamesOf, isVolumeTerminated } from "../pod_volumes/mod.ts";
import { guardedHandler } from "../protection/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import { FINALIZER } from "./sync.ts";
import { lacksUnused } from "./unused_condition.ts";

/** The handlers' context. */
export interface HandlerContext {
  readonly queue: Pick<WorkQueue, "add">;
  /** See {@link ProtectionContext.tellsUnused}. */
  readonly tellsUnused: boolean;
}

/** Queues claims that must get or lose the finalizer. */
export function claimHandler({ queue, tellsUnused }: HandlerContext): EventHandler<PersistentVolumeClaim> {
  return guardedHandler({
    kind: "persistentvolumeclaim",
    finalizer: FINALIZER,
    queue,
    isWanting: (claim) => tellsUnused && lacksUnused(claim),
  });
}

/** Queues the claims of pods that no longer use them, or do not count yet. */
export function podHandler({ queue, tellsUnused }: HandlerContext): EventHandler<Pod> {
  const enqueueClaims = (pod: Pod, what: Change) => {
    for (const name of claimNamesOf(pod)) queue.add(joinKey(pod.metadata?.namespace, name), cause("pod", pod, what));
  };
  const onChange = (pod: Pod, what: Change) => {
    // A running pod keeps its claims, whatever else changes.
    if (tellsUnused || isVolumeTerminated(pod) || !pod.spec?.nodeName) enqueueClaims(pod, what);
  };
  return {
    onAdd: (pod) => onChange(pod, "added"),
    onUpdate: (before, pod) => {
      onChange(pod, changeOf(before, pod));
      if (before.metadata?.uid !== pod.metadata?.uid) enqueueClaims(before, "deleted");
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) enqueueClaims(pod, "deleted");
    },
  };
}
