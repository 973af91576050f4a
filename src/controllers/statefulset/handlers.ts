import { type Pod, type StatefulSet, STATEFULSETS } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import { queueWhenAvailable } from "../pods/mod.ts";
import { childHandler, parentHandler } from "../running/mod.ts";
import type { StatefulSetContext } from "./context.ts";

/** A change of a StatefulSet queues it. */
export function setHandler({ queue, guard }: Pick<StatefulSetContext, "queue" | "guard">): EventHandler<StatefulSet> {
  return parentHandler({ kind: "statefulset", queue, onGone: (key, uid) => guard.clear(key, uid) });
}

/** A change of a pod queues its set, or those that could want to adopt it. */
export function podHandler({ queue, sets }: Pick<StatefulSetContext, "queue" | "sets">): EventHandler<Pod> {
  return childHandler<StatefulSet, Pod>({
    child: "pod",
    parentKind: STATEFULSETS.kind,
    parents: sets,
    queue,
    selectorOf: ({ spec }) => spec?.selector,
    onUpdated: (owner, before, pod) =>
      queueWhenAvailable(queue, { owner, minReadySeconds: owner.spec?.minReadySeconds, before, pod }),
  });
}
