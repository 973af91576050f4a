import type { Node } from "../../api/mod.ts";

/** Labels of old, and what they are called now. Who sets the old one means both. */
const LABELS = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
] as const;

/**
 * The labels that a node lacks, or has with another value than under their old names.
 * Upstream: `k8s.io/cloud-provider/controllers/node/node_controller.go` (labelReconcileInfo).
 *
 * @returns `undefined` if there is none.
 */
export function missingLabels({ metadata }: Node): Readonly<Record<string, string>> | undefined {
  const labels = metadata?.labels ?? {};
  const missing = LABELS.flatMap(([beta, stable]) =>
    labels[beta] !== undefined && labels[stable] !== labels[beta] ? [[stable, labels[beta]]] : []
  );
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}

/** What a zone, a region or a type is called in a node's labels, of old and now. */
export function bothLabels(
  { zone, region, instanceType }: { readonly zone?: string; readonly region?: string; readonly instanceType?: string },
): Readonly<Record<string, string>> {
  const values = [zone, region, instanceType];
  const entries = LABELS.flatMap((keys, i) => keys.map((key) => [key, values[i] ?? ""] as const));
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
