import { deepEqual } from "../../base/mod.ts";
import type { Labels, Pod } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { isPodReady } from "../../rules/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause } from "../running/mod.ts";

/** A change of a pod that Services may have to know of. Upstream: `k8s.io/endpointslice/util` (PodProjectionKey). */
export interface PodChange {
  readonly namespace: string;
  readonly labels: Labels;
  /** Set if the labels, or what Services call the pod, changed. */
  readonly labelsBefore?: Labels;
  /** Whether those that selected it before and still do have to know, too. */
  readonly concernsAll: boolean;
  readonly cause: ReturnType<typeof cause>;
}

/** Queues what matters to Services of what happens to pods; each change by itself. */
export function podChangeHandler(changes: Pick<WorkQueue<PodChange>, "add">): EventHandler<Pod> {
  return {
    onAdd: (pod) => changes.add({ ...wholeChange(pod), cause: cause("pod", pod, "added") }),
    onUpdate: (before, pod) => {
      const change = changeBetween(before, pod);
      if (change) changes.add({ ...change, cause: cause("pod", pod, "updated") });
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) changes.add({ ...wholeChange(pod), cause: cause("pod", pod, "deleted") });
    },
  };
}

function wholeChange({ metadata }: Pod): Omit<PodChange, "cause"> {
  return { namespace: metadata?.namespace ?? "", labels: metadata?.labels ?? {}, concernsAll: true };
}

function changeBetween(before: Pod, pod: Pod): Omit<PodChange, "cause"> | undefined {
  if (before.metadata?.resourceVersion === pod.metadata?.resourceVersion) return undefined; // a replay
  const labelsBefore = before.metadata?.labels ?? {};
  const change = wholeChange(pod);
  const concernsAll = contentChanged(before, pod);
  const labelsChanged = !deepEqual(labelsBefore, change.labels) || before.spec?.hostname !== pod.spec?.hostname ||
    before.spec?.subdomain !== pod.spec?.subdomain;
  if (labelsChanged) return { ...change, labelsBefore, concernsAll };
  return concernsAll ? change : undefined;
}

function contentChanged(before: Pod, pod: Pod): boolean {
  // Every update of a pod that is being deleted counts, as upstream compares pointers.
  if (before.metadata?.deletionTimestamp || pod.metadata?.deletionTimestamp) return true;
  if (before.metadata?.uid !== pod.metadata?.uid || isPodReady(before) !== isPodReady(pod)) return true;
  return !deepEqual(before.status?.podIPs ?? [], pod.status?.podIPs ?? []);
}
