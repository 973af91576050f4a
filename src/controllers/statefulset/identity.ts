import {
  CONTROLLER_REVISION_HASH_LABEL,
  type Pod,
  POD_INDEX_LABEL,
  type StatefulSet,
  STATEFULSET_POD_NAME_LABEL,
} from "../../api/mod.ts";

const NUMBERED = /^(.*)-([0-9]+)$/s;
const LARGEST_ORDINAL = 2 ** 31 - 1;

/** The identity in a pod's name. */
export interface NamedIdentity {
  /** Empty if the name is not that of a StatefulSet's pod. */
  readonly parent: string;
  /** -1 if there is none, or it exceeds 32 bits. */
  readonly ordinal: number;
}

/** Reads the name of a pod. Upstream: `pkg/controller/statefulset/stateful_set_utils.go` (getParentNameAndOrdinal). */
export function identityOf(name: string | undefined): NamedIdentity {
  const match = NUMBERED.exec(name ?? "");
  if (!match) return { parent: "", ordinal: -1 };
  const ordinal = Number(match[2]);
  return { parent: match[1], ordinal: ordinal > LARGEST_ORDINAL ? -1 : ordinal };
}

/** The number in a pod's name; -1 if there is none. */
export function ordinalOf(pod: Pod): number {
  return identityOf(pod.metadata?.name).ordinal;
}

/** The name of the set's pod with this number. */
export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata?.name}-${ordinal}`;
}

/** The name of a pod's revision; empty if unset. */
export function revisionOfPod(pod: Pod): string {
  return pod.metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL] ?? "";
}

/** Whether the pod's name, namespace and label match this set. */
export function identityMatches(set: StatefulSet, pod: Pod): boolean {
  const { name, namespace, labels } = pod.metadata ?? {};
  const { parent, ordinal } = identityOf(name);
  return ordinal >= 0 && parent === set.metadata?.name && name === podName(set, ordinal) &&
    namespace === set.metadata?.namespace && labels?.[STATEFULSET_POD_NAME_LABEL] === name;
}

/** The pod with the name, namespace and labels that it must have. */
export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(pod);
  const name = podName(set, ordinal);
  const labels = {
    ...pod.metadata?.labels,
    [STATEFULSET_POD_NAME_LABEL]: name,
    [POD_INDEX_LABEL]: String(ordinal),
  };
  return { ...pod, metadata: { ...pod.metadata, name, namespace: set.metadata?.namespace, labels } };
}
