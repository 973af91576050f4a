import { matchesTerm } from "../../api/mod.ts";
import { untoleratedTaint } from "../../rules/mod.ts";
import type { Snapshot } from "./cluster_state.ts";
import type { NodeInfo } from "./node_info.ts";
import type { PodInfo } from "./pod_info.ts";

/** How unsuitable a node is; the first number that differs decides. */
export type Score = readonly number[];

/**
 * Ranks suitable nodes, where upstream adds up weighted scores:
 * 1. fewer PreferNoSchedule taints that the pod does not tolerate;
 * 2. more of its preferred node affinity;
 * 3. fewer pods of the same controller on the node, then in its zone;
 * 4. less of its cpu and memory taken, then fewer pods.
 *
 * Equal nodes are ordered by name, so that the same cluster always leads to the same choice.
 */
export function scorer(pod: PodInfo, snapshot: Snapshot): (node: NodeInfo) => Score {
  const { tolerations, affinity } = pod.pod.spec ?? {};
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const siblings = pod.controller ? snapshot.spreadOf(pod.controller) : undefined;
  const zones = new Map<string, number>();
  for (const [name, count] of siblings ?? []) {
    const zone = snapshot.node(name)?.zone ?? "";
    zones.set(zone, (zones.get(zone) ?? 0) + count);
  }
  return (info) => {
    const { node, room } = info;
    const taints = node?.spec?.taints ?? [];
    return [
      taints.filter((taint) => untoleratedTaint([taint], tolerations, ["PreferNoSchedule"])).length,
      -preferred.reduce(
        (sum, { weight, preference }) => node && matchesTerm(preference, node) ? sum + weight : sum,
        0,
      ),
      siblings?.get(info.name) ?? 0,
      zones.get(info.zone) ?? 0,
      load(info, pod, "cpu") + load(info, pod, "memory"),
      room.podCount,
    ];
  };
}

/** The used share of a resource once the pod is on the node. */
function load({ room }: NodeInfo, { requests }: PodInfo, resource: string): number {
  const capacity = room.allocatable.get(resource) ?? 0;
  return capacity > 0 ? (room.used(resource) + (requests.get(resource) ?? 0)) / capacity : 0;
}

/** Negative if `a` is the better score. */
export function compareScores(a: Score, b: Score): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}
