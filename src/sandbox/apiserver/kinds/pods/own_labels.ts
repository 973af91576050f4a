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

function termsOf(affinity: PodAffinity = {}): PodAffinityTerm[] {
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return [...preferred.map(({ podAffinityTerm }) => podAffinityTerm), ...required];
}

/**
 * Merges the values of a pod's own labels into selectors that ask for it.
 * Upstream: mutatePodAffinity and mutateTopologySpreadConstraints in `pkg/registry/core/pod/strategy.go`.
 */
export function selectOwnLabels({ metadata, spec }: Stored<Pod>): void {
  const { labels } = metadata;
  if (!spec || !labels) return;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of [podAffinity, podAntiAffinity].flatMap(termsOf)) {
    select(labelSelector, matchLabelKeys, "In", labels);
    select(labelSelector, mismatchLabelKeys, "NotIn", labels);
  }
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
    select(labelSelector, matchLabelKeys, "In", labels);
  }
}
