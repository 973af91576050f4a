import type { Node } from "../../api/mod.ts";

/** Labels that old clients select nodes by, and those whose values they have. */
const BETA_LABELS = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/**
 * The labels that a node lacks or has with another value than it says of itself.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (reconcileNodeLabels).
 *
 * @returns `undefined` if there is none.
 */
export function missingLabels({ metadata }: Node): Readonly<Record<string, string>> | undefined {
  const labels = metadata?.labels ?? {};
  const missing = BETA_LABELS.flatMap(([stable, beta]) =>
    labels[stable] !== undefined && labels[beta] !== labels[stable] ? [[beta, labels[stable]]] : []
  );
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}
