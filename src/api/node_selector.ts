import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from "./generated_types.ts";
import { parseInt64 } from "../base/mod.ts";
import { isAmong } from "./value_set.ts";

/**
 * Whether a node has the labels that a pod's nodeSelector and required node affinity ask for.
 * Upstream: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity` (GetRequiredNodeAffinity).
 *
 * @example
 * ```ts
 * import { matchesNodeAffinity } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * const pod = { spec: { containers: [], nodeSelector: { disk: "ssd" } } };
 * assertEquals(matchesNodeAffinity(pod, { metadata: { name: "n", labels: { disk: "ssd" } } }), true);
 * assertEquals(matchesNodeAffinity(pod, { metadata: { name: "n" } }), false);
 * ```
 */
export function matchesNodeAffinity({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || matchesNodeSelector(required, node);
}

/** Whether one of the terms holds; a selector without terms, and a term without requirements, match no node. */
export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return (nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** Whether all requirements of one term hold. */
export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = metadata?.labels ?? {};
  return matchFields.every((field) => matches(field, field.key === "metadata.name" ? metadata?.name : undefined)) &&
    matchExpressions.every((requirement) =>
      matches(requirement, Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined)
    );
}

function matches({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && isAmong(values, value);
    case "NotIn":
      return value === undefined || !isAmong(values, value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const left = parseInt64(value ?? "");
      const right = parseInt64(values[0] ?? "");
      if (left === undefined || right === undefined) return false;
      return operator === "Gt" ? left > right : left < right;
    }
    default:
      return false;
  }
}

/**
 * The only nodes that a pod's required node affinity lets it run on, where every term names nodes (as a DaemonSet's
 * pods do); `undefined` if other nodes may do. Upstream: `framework/plugins/nodeaffinity` (PreFilter).
 */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (lists.length === 0) return undefined;
    for (const name of lists[0].values ?? []) {
      if (lists.every(({ values = [] }) => isAmong(values, name))) names.add(name);
    }
  }
  return terms.length > 0 ? names : undefined;
}
