import { deepEqual } from "../../base/mod.ts";
import {
  controllerOf,
  type ControllerRevision,
  type DaemonSet,
  DAEMONSETS,
  type Node,
  objectKey,
  type Pod,
} from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import { queueWhenAvailable } from "../pods/mod.ts";
import { cause, childHandler, parentHandler } from "../running/mod.ts";
import type { DaemonSetContext } from "./context.ts";

/** Timers use a different clock than conditions' timestamps. */
const SKEW_MS = 1_000;

type Handling = Pick<DaemonSetContext, "queue" | "nodeQueue" | "daemonSets" | "expectations" | "guard">;

/** A change of a DaemonSet queues it. */
export function daemonSetHandler({ queue, expectations, guard }: Handling): EventHandler<DaemonSet> {
  return parentHandler({
    kind: "daemonset",
    queue,
    onGone: (key, uid) => {
      guard.clear(key, uid);
      expectations.delete(key); // a later one of this name starts clean
    },
  });
}

/** A change of a pod queues its DaemonSet, or those that could adopt it, and fulfils expectations. */
export function podHandler({ queue, daemonSets, expectations }: Handling): EventHandler<Pod> {
  return childHandler<DaemonSet, Pod>({
    child: "pod",
    parentKind: DAEMONSETS.kind,
    parents: daemonSets,
    queue,
    selectorOf: ({ spec }) => spec?.selector,
    // A graceful deletion takes long and need not be awaited.
    deletingIsDeleted: true,
    onCreated: (key) => expectations.observeCreation(key),
    onDeleted: (key) => expectations.observeDeletion(key),
    onUpdated: (owner, before, pod) => {
      const minReadySeconds = owner.spec?.minReadySeconds;
      queueWhenAvailable(queue, { owner, minReadySeconds, before, pod, delayMs: SKEW_MS });
    },
  });
}

/** A change of a revision queues its DaemonSet, or those that could want to adopt it. */
export function revisionHandler({ queue, daemonSets }: Handling): EventHandler<ControllerRevision> {
  const handler = childHandler<DaemonSet, ControllerRevision>({
    child: "controllerrevision",
    parentKind: DAEMONSETS.kind,
    parents: daemonSets,
    queue,
    selectorOf: ({ spec }) => spec?.selector,
  });
  return {
    ...handler,
    onAdd: (revision, isInInitialList) => {
      // Its DaemonSet created it and knows.
      if (controllerOf(revision) && !revision.metadata?.deletionTimestamp) return;
      handler.onAdd?.(revision, isInInitialList);
    },
  };
}

/** A change of a node queues it, if it may matter to a DaemonSet. */
export function nodeHandler({ nodeQueue }: Handling): EventHandler<Node> {
  const relevant = ({ metadata, spec }: Node) => [metadata?.labels ?? {}, spec?.taints ?? []];
  return {
    onAdd: (node) => nodeQueue.add(objectKey(node), cause("node", node, "added")),
    onUpdate: (before, node) => {
      if (!deepEqual(relevant(before), relevant(node))) nodeQueue.add(objectKey(node), cause("node", node, "updated"));
    },
  };
}
