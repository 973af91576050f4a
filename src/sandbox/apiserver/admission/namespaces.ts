import type { Namespace } from "../../../api/mod.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Operation } from "../operation.ts";

const NAMESPACES = { group: "", plural: "namespaces", kind: "Namespace" };
const UNDELETABLE = ["default", "kube-system", "kube-public"];

/** Nothing new in a namespace that is missing or ends. Upstream: `plugin/pkg/admission/namespace/lifecycle`. */
export function admitToNamespace({ state: { store }, served, namespace }: Operation, name: string): void {
  if (!served.namespaced) return;
  const found = store.get("namespaces", namespace) as Namespace | undefined;
  if (!found) throw notFound(NAMESPACES, namespace);
  if (!found.metadata?.deletionTimestamp && found.status?.phase !== "Terminating") return;
  const message = `namespace ${namespace} is being terminated`;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(served, name, why, [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }]);
}

/** The namespaces that the system itself lives in stay. */
export function admitDelete({ served }: Operation, name: string): void {
  if (served.collection === "namespaces" && UNDELETABLE.includes(name)) {
    throw forbidden(served, name, "this namespace may not be deleted");
  }
}
