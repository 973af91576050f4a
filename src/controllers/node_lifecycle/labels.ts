import type { Node } from "../../api/mod.ts";
import { type Labels, missingCopies } from "../nodes/mod.ts";

/** Labels that kubelet sets, and their deprecated names, by which old clients still select nodes. */
const LABELS = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/**
 * The deprecated labels that a node lacks, or that differ from its current ones.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (reconcileNodeLabels).
 *
 * @returns `undefined` if there are none.
 */
export function missingLabels(node: Node): Labels | undefined {
  return missingCopies(node, LABELS);
}
