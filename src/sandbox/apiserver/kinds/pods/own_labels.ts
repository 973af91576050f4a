import type { LabelSelector, Pod, PodAffinity, PodAffinityTerm } from "../../../../api/mod.ts";
import type { Stored } from "../../traits/mod.ts";

type Labels = Readonly<Record<string, string>>;

function select(selector: LabelSelector | undefined, keys: readonly string[] = [], operator: string, labels: Labels) {
  if (!selector) return;
  for (const key of keys) {
    if (labels[key] === undefined) continue;
    selector.matchExpressions = [...selector.matchExpressions ?? [], { key, operator, values: [labels[key]] }];
  }
}

function ofTerm({ labelSelector, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm, labels: Labels): void {
  select(labelSelector, matchLabelKeys, "In", labels);
  select(labelSelector, mismatchLabelKeys, "NotIn", labels);
}

function ofAffinity(affinity: PodAffinity | undefined, labels: Labels): void {
  for (const { podAffinityTerm } of affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
    ofTerm(podAffinityTerm, labels);
  }
  for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) ofTerm(term, labels);
}

/**
 * Merges the values of a pod's own labels into selectors that ask for it.
 * Upstream: mutatePodAffinity and mutateTopologySpreadConstraints in `pkg/registry/core/pod/strategy.go`.
 */
export function selectOwnLabels({ metadata, spec }: Stored<Pod>): void {
  const { labels } = metadata;
  if (!spec || !labels) return;
  ofAffinity(spec.affinity?.podAffinity, labels);
  ofAffinity(spec.affinity?.podAntiAffinity, labels);
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
    select(labelSelector, matchLabelKeys, "In", labels);
  }
}
