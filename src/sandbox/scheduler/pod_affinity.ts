import type { Snapshot } from "./cluster_state.ts";
import type { NodeInfo } from "./node_info.ts";
import { type AffinityTerm, type PodInfo, termMatches } from "./pod_info.ts";
import { never, notNow, type Rejection } from "./rejection.ts";
import type { Tally } from "./tallies.ts";

const NO_AFFINITY = never("node(s) didn't match pod affinity rules");
const OWN_ANTI_AFFINITY = notNow("node(s) didn't match pod anti-affinity rules");
const OTHERS_ANTI_AFFINITY = notNow("node(s) didn't satisfy existing pods anti-affinity rules");

/** The number of pods by the value of a topology label. */
type Domains = ReadonlyMap<string, number>;

/**
 * Checks nodes for a pod's required affinity and anti-affinity, and for the anti-affinity of existing pods; `undefined`
 * if there is none of these. Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go`.
 */
export function podAffinityFilter(
  pod: PodInfo,
  snapshot: Snapshot,
): ((node: NodeInfo) => Rejection | undefined) | undefined {
  const others = othersAntiAffinity(pod, snapshot);
  const { affinity, antiAffinity } = pod;
  if (others.size === 0 && affinity.length === 0 && antiAffinity.length === 0) return undefined;
  const wanted = affinity.length > 0 ? affinityDomains(pod, snapshot) : [];
  const isFirst = wanted.every((domains) => domains.size === 0) &&
    affinity.every((term) => termMatches(term, pod, snapshot.labelsOf));
  const unwanted = antiAffinity.map((term) => domainsOf(snapshot, term.topologyKey, tallyOf(snapshot, [term])));
  return (node) => {
    const { labels } = node;
    if (affinity.some(({ topologyKey }) => labels[topologyKey] === undefined)) return NO_AFFINITY;
    if (!isFirst && affinity.some(({ topologyKey }, i) => !wanted[i].get(labels[topologyKey]))) return NO_AFFINITY;
    if (antiAffinity.some(({ topologyKey }, i) => unwanted[i].get(labels[topologyKey]))) return OWN_ANTI_AFFINITY;
    for (const [key, values] of others) if (values.has(labels[key])) return OTHERS_ANTI_AFFINITY;
    return undefined;
  };
}

/** The pods that match all terms together, counted by the topology of each term. */
function affinityDomains({ affinity }: PodInfo, snapshot: Snapshot): readonly Domains[] {
  const tally = tallyOf(snapshot, affinity);
  return affinity.map(({ topologyKey }) => domainsOf(snapshot, topologyKey, tally));
}

function tallyOf(snapshot: Snapshot, terms: readonly AffinityTerm[]): Tally {
  const key = `affinity ${terms.map((term) => term.key).join()}`;
  return snapshot.tally({
    key,
    counts: (other) => terms.every((term) => termMatches(term, other, snapshot.labelsOf)),
  });
}

function domainsOf(snapshot: Snapshot, topologyKey: string, tally: Tally): Domains {
  const domains = new Map<string, number>();
  for (const [name, count] of tally) {
    const value = snapshot.node(name)?.node?.metadata?.labels?.[topologyKey];
    if (value !== undefined) domains.set(value, (domains.get(value) ?? 0) + count);
  }
  return domains;
}

/** The topology values from which existing pods keep this pod away. */
function othersAntiAffinity(pod: PodInfo, snapshot: Snapshot): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { term, nodes } of snapshot.antiAffinity()) {
    if (!termMatches(term, pod, snapshot.labelsOf)) continue;
    const values = found.get(term.topologyKey) ?? new Set<string>();
    for (const value of domainsOf(snapshot, term.topologyKey, nodes).keys()) values.add(value);
    if (values.size > 0) found.set(term.topologyKey, values);
  }
  return found;
}
