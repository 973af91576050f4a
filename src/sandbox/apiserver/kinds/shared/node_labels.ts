import type { NodeSelectorTerm } from "../../../../api/mod.ts";

/** Deprecated labels of nodes. Upstream: `pkg/api/node/util.go`. */
export const NODE_LABELS: Readonly<Record<string, string | undefined>> = {
  // A label may have the name of a property of Object.prototype.
  __proto__: null!,
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
};

/** Warnings about a term of a node selector. */
export function nodeTermWarnings({ matchExpressions = [] }: NodeSelectorTerm, at: string): string[] {
  return matchExpressions.flatMap(({ key = "" }, i) =>
    NODE_LABELS[key] ? [`${at}.matchExpressions[${i}].key: ${key} is ${NODE_LABELS[key]}`] : []
  );
}
