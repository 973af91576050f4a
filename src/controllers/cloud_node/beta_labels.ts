import type { Node } from "../../api/mod.ts";
import { type Labels, missingCopies } from "../nodes/mod.ts";

/** Deprecated labels and their successors. Whoever sets a deprecated one means both. */
const LABELS = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
] as const;

/**
 * The successors that a node lacks, or that differ from its deprecated labels.
 * Upstream: `k8s.io/cloud-provider/controllers/node/node_controller.go` (labelReconcileInfo).
 *
 * @returns `undefined` if there are none.
 */
export function missingLabels(node: Node): Labels | undefined {
  return missingCopies(node, LABELS);
}

/** The labels for a zone, a region and an instance type, both deprecated and current. */
export function bothLabels(
  { zone, region, instanceType }: { readonly zone?: string; readonly region?: string; readonly instanceType?: string },
): Labels {
  const values = [zone, region, instanceType];
  const entries = LABELS.flatMap((keys, i) => keys.map((key) => [key, values[i] ?? ""] as const));
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
