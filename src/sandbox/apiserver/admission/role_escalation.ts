import type { StoredObject } from "../../storage/mod.ts";
import { confirmNoEscalation } from "../authorization/mod.ts";
import type { Admission } from "../operations/mod.ts";

export const ROLE_KINDS = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"].map((plural) =>
  `${plural}.rbac.authorization.k8s.io`
);

/** Refuses roles and bindings that grant more than their writer has. */
export function keepToOwnRights({ operation, object, old }: Admission<StoredObject>): void {
  confirmNoEscalation(operation, object, old);
}
