import { matchesNodeAffinity } from "../../api/mod.ts";
import { untoleratedTaint } from "../../rules/mod.ts";
import type { Snapshot } from "./cluster_state.ts";
import type { NodeInfo } from "./node_info.ts";
import { podAffinityFilter } from "./pod_affinity.ts";
import type { PodInfo } from "./pod_info.ts";
import { never, notNow, type Rejection } from "./rejection.ts";
import { topologySpreadFilter } from "./topology_spread.ts";
import type { PodClaims } from "./volume_binding.ts";

/** Checks a node for a pod; `undefined` if it is suitable. A check that may take long runs in steps. */
export type NodeFilter = (node: NodeInfo) => Rejection | undefined | Generator<void, Rejection | undefined>;

const UNSCHEDULABLE = never("node(s) were unschedulable");
const TAINTED = never("node(s) had untolerated taint(s)");
const NO_MATCH = never("node(s) didn't match Pod's node affinity/selector");
const NO_PORTS = notNow("node(s) didn't have free ports for the requested pod ports");
const CLAIM_TAKEN = notNow(
  "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
);
/** A pod that tolerates this may run on a cordoned node. */
const CORDON = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/**
 * One filter per row, in upstream's order; the first one that rejects a node gives the reason. A row returns nothing
 * for a pod that it does not apply to.
 * Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go`.
 */
const ROWS: readonly ((pod: PodInfo, snapshot: Snapshot, claims: PodClaims | undefined) => NodeFilter | undefined)[] = [
  // NodeUnschedulable
  ({ pod }) => ({ node }) =>
    node?.spec?.unschedulable && untoleratedTaint([CORDON], pod.spec?.tolerations) ? UNSCHEDULABLE : undefined,
  // TaintToleration
  ({ pod }) => ({ node }) => untoleratedTaint(node?.spec?.taints, pod.spec?.tolerations) ? TAINTED : undefined,
  // NodeAffinity
  ({ pod }) =>
    pod.spec?.nodeSelector || pod.spec?.affinity?.nodeAffinity
      ? ({ node }) => node && matchesNodeAffinity(pod, node) ? undefined : NO_MATCH
      : undefined,
  // NodePorts
  ({ ports }) => ports.length > 0 ? (node) => node.hasFree(ports) ? undefined : NO_PORTS : undefined,
  // NodeResourcesFit
  ({ requests }) => ({ room }) => {
    const shortages = room.shortages(requests);
    if (shortages.length === 0) return undefined;
    return {
      reasons: shortages.map(({ resource }) => resource === "pods" ? "Too many pods" : `Insufficient ${resource}`),
      isResolvable: shortages.every(({ resource, requested, capacity }) =>
        resource === "pods" || requested <= capacity
      ),
    };
  },
  // VolumeRestrictions
  (pod, snapshot) => isClaimTaken(pod, snapshot) ? () => CLAIM_TAKEN : undefined,
  // VolumeBinding
  (_pod, _snapshot, claims) => claims?.kind === "possible" ? (node) => claims.rejects(node) : undefined,
  // PodTopologySpread
  (pod, snapshot) => topologySpreadFilter(pod, snapshot),
  // InterPodAffinity
  (pod, snapshot) => podAffinityFilter(pod, snapshot),
];

/** Whether another pod uses a ReadWriteOncePod claim of this pod. */
function isClaimTaken({ namespace, claims }: PodInfo, snapshot: Snapshot): boolean {
  return claims.some((name) =>
    snapshot.volumes.claim(namespace, name)?.spec?.accessModes?.includes("ReadWriteOncePod") &&
    snapshot.isClaimUsed(namespace, name)
  );
}

export function filtersOf(pod: PodInfo, snapshot: Snapshot, claims: PodClaims | undefined): readonly NodeFilter[] {
  return ROWS.map((row) => row(pod, snapshot, claims)).filter((filter) => filter !== undefined);
}
