import { matchesNodeAffinity, type Selector, selectorOf, type TopologySpreadConstraint } from "../../api/mod.ts";
import { untoleratedTaint } from "../../rules/mod.ts";
import type { Snapshot } from "./cluster_state.ts";
import type { NodeInfo } from "./node_info.ts";
import { type PodInfo, selectorOrNothing, textOf, withKeys } from "./pod_info.ts";
import { never, notNow, type Rejection } from "./rejection.ts";

const UNEVEN = notNow("node(s) didn't match pod topology spread constraints");
const NO_LABEL = never("node(s) didn't match pod topology spread constraints (missing required label)");

/** A constraint with the counts of its domains. */
interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** What the pod adds to its own domain. */
  readonly own: number;
  readonly domains: ReadonlyMap<string, number>;
  readonly least: number;
}

/**
 * Checks nodes for a pod's DoNotSchedule topology spread constraints; `undefined` if it has none.
 * Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go`.
 */
export function topologySpreadFilter(
  pod: PodInfo,
  snapshot: Snapshot,
): ((node: NodeInfo) => Rejection | undefined) | undefined {
  const constraints = (pod.pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
  if (constraints.length === 0) return undefined;
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const complete = snapshot.nodes.filter(({ labels }) => keys.every((key) => labels[key] !== undefined));
  const spreads = constraints.map((constraint) => spreadOf(pod, constraint, { snapshot, nodes: complete }));
  return ({ labels }) => {
    for (const { topologyKey, maxSkew, own, domains, least } of spreads) {
      const value = labels[topologyKey];
      if (value === undefined) return NO_LABEL;
      if ((domains.get(value) ?? 0) + own - least > maxSkew) return UNEVEN;
    }
    return undefined;
  };
}

function spreadOf(
  pod: PodInfo,
  constraint: TopologySpreadConstraint,
  { snapshot, nodes }: { readonly snapshot: Snapshot; readonly nodes: readonly NodeInfo[] },
): Spread {
  const { topologyKey, maxSkew, labelSelector, matchLabelKeys, minDomains = 1 } = constraint;
  const selector = withKeys(selectorOrNothing(() => selectorOf(labelSelector)), pod.labels, { matchLabelKeys });
  const tally = selector.isEmpty ? new Map<string, number>() : snapshot.tally(queryOf(pod.namespace, selector));
  const domains = new Map<string, number>();
  for (const node of nodes) {
    if (!isIncluded(pod, node, constraint)) continue;
    const value = node.labels[topologyKey];
    domains.set(value, (domains.get(value) ?? 0) + (tally.get(node.name) ?? 0));
  }
  const least = domains.size < minDomains ? 0 : Math.min(...domains.values());
  return { topologyKey, maxSkew, own: selector.matches(pod.labels) ? 1 : 0, domains, least };
}

/** Counts matching pods that are not being deleted. */
function queryOf(namespace: string, selector: Selector) {
  return {
    key: `spread ${namespace} ${textOf(selector)}`,
    counts: (other: PodInfo) =>
      other.namespace === namespace && !other.pod.metadata?.deletionTimestamp && selector.matches(other.labels),
  };
}

function isIncluded(
  { pod }: PodInfo,
  { node }: NodeInfo,
  { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: TopologySpreadConstraint,
): boolean {
  if (!node || nodeAffinityPolicy === "Honor" && !matchesNodeAffinity(pod, node)) return false;
  return nodeTaintsPolicy !== "Honor" || !untoleratedTaint(node.spec?.taints, pod.spec?.tolerations);
}
