import type { NodeSelectorTerm } from "../../../../api/mod.ts";
import { labelValue } from "../../validation/mod.ts";

/** Labels of nodes that have other names today. Upstream: `pkg/api/node/util.go`. */
export const NODE_LABELS: Readonly<Record<string, string | undefined>> = {
  // Labels may be called like what objects inherit.
  __proto__: null!,
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
};

/** What is unusual in a term of a node selector. */
export function nodeTermWarnings(term: NodeSelectorTerm, checksValues: boolean, at: string): string[] {
  const out: string[] = [];
  for (const [i, { key = "", values = [] }] of (term.matchExpressions ?? []).entries()) {
    const path = `${at}.matchExpressions[${i}]`;
    if (NODE_LABELS[key]) out.push(`${path}.key: ${key} is ${NODE_LABELS[key]}`);
    if (!checksValues) continue;
    for (const [j, value] of values.entries()) {
      for (const problem of labelValue(value)) out.push(`${path}.values[${j}]: ${value} is invalid, ${problem}`);
    }
  }
  return out;
}
