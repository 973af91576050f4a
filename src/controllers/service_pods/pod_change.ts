import { deepEqual } from "../../base/mod.ts";
import type { Labels, Pod } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { isPodReady } from "../../rules/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause } from "../running/mod.ts";

/** A change of a pod that may matter to Services. Upstream: `k8s.io/endpointslice/util` (PodProjectionKey). */
export interface PodChange {
  readonly namespace: string;
  readonly labels: Labels;
  /** Set if the labels or the hostname changed. */
  readonly labelsBefore?: Labels;
  /** Whether it also matters to Services that selected it before and still do. */
  readonly concernsAll: boolean;
  readonly cause: ReturnType<typeof cause>;
}

/** Queues each change of pods that matters to Services. */
export function podChangeHandler(changes: Pick<WorkQueue<PodChange>, "add">): EventHandler<Pod> {
  return {
    onAdd: (pod, isInInitialList) => {
      if (!isInInitialList) changes.add({ ...wholeChange(pod), cause: cause("pod", pod, "added") });
    },
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
  // Every update of a terminating pod counts, because upstream compares pointers.
  if (before.metadata?.deletionTimestamp || pod.metadata?.deletionTimestamp) return true;
  if (before.metadata?.uid !== pod.metadata?.uid || isPodReady(before) !== isPodReady(pod)) return true;
  return !deepEqual(before.status?.podIPs ?? [], pod.status?.podIPs ?? []);
}
