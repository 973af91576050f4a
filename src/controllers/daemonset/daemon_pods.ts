import { type DaemonSet, DAEMONSETS, type Pod, type Selector } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { claimPods, type ClaimPodsOptions } from "../pods/mod.ts";
import { byCreation } from "../running/mod.ts";

/** Pods by their current or intended node. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** The DaemonSet's pods in any state; adopts orphans and releases pods that no longer match. */
export function claimDaemonPods(
  daemonSet: DaemonSet,
  selector: Selector,
  { client, pods, guard, budget }: Pick<ClaimPodsOptions<DaemonSet>, "client" | "pods" | "guard" | "budget">,
): Promise<Pod[]> {
  return claimPods({ client, pods, guard, budget, parent: daemonSet, parentResource: DAEMONSETS, selector });
}

/**
 * Groups pods by their nodes. Pods for no node, or for several, are in no group. Neither are finished pods that are
 * being deleted, unless requested, because they do not matter.
 */
export function groupByNode(pods: readonly Pod[], { withEnded = false } = {}): PodsByNode {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (!withEnded && isPodTerminal(pod) && pod.metadata?.deletionTimestamp) continue;
    const node = targetNode(pod);
    if (node === undefined) continue;
    const group = groups.get(node);
    if (group) group.push(pod);
    else groups.set(node, [pod]);
  }
  return groups;
}

/** The node of a pod, also before it is bound. Upstream: `pkg/controller/daemon/util` (GetTargetNodeName). */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const named = required?.nodeSelectorTerms?.flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Bound pods first, then the oldest; the first one counts on its node. */
export function byPrecedence(a: Pod, b: Pod): number {
  const isBound = ({ spec }: Pod) => Boolean(spec?.nodeName);
  if (isBound(a) !== isBound(b)) return isBound(a) ? -1 : 1;
  return byCreation(a, b);
}

/** Whether the pod is being deleted. */
export function isDeleting({ metadata }: Pod): boolean {
  return Boolean(metadata?.deletionTimestamp);
}
