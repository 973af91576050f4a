import { type Namespace, NAMESPACE_TERMINATING, NAMESPACE_TERMINATING_CAUSE } from "../../../api/mod.ts";
import { notFound } from "../base/mod.ts";
import { type Admission, type Operation, refusal } from "../operations/mod.ts";

const NAMESPACES = { group: "", plural: "namespaces", kind: "Namespace" };
const UNDELETABLE: readonly (string | undefined)[] = ["default", "kube-system", "kube-public"];

/**
 * Nothing can be created in a namespace that is missing or being deleted. Upstream:
 * `apiserver/pkg/admission/plugin/namespace/lifecycle`.
 *
 * @throws {ApiError} 404 or 403.
 */
export function keepOutOfEnding(admission: Admission): void {
  const { served, namespace } = admission.operation;
  if (!served.namespaced) return;
  const found = namespaceOf(admission.operation);
  if (!found) throw notFound(NAMESPACES, namespace);
  if (found.status?.phase !== NAMESPACE_TERMINATING) return;
  const message = `namespace ${namespace} is being terminated`;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw refusal(admission, why, [{ reason: NAMESPACE_TERMINATING_CAUSE, message, field: "metadata.namespace" }]);
}

/** Whether objects can be created in the namespace. */
export function isOpen(operation: Operation): boolean {
  const found = namespaceOf(operation);
  return found !== undefined && found.status?.phase !== NAMESPACE_TERMINATING;
}

/** The system's own namespaces cannot be deleted. */
export function keepSystemNamespaces(admission: Admission): void {
  if (UNDELETABLE.includes(admission.object.metadata.name)) {
    throw refusal(admission, "this namespace may not be deleted");
  }
}

function namespaceOf({ state: { store }, namespace }: Operation): Namespace | undefined {
  return store.get("namespaces", namespace) as Namespace | undefined;
}
