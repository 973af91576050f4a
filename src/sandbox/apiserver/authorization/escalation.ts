import { deepEqual } from "../../../base/mod.ts";
import type { ClusterRole, RoleBinding } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { MASTERS, type Rule } from "../access/mod.ts";
import { forbidden, notFound } from "../base/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { FULL_AUTHORITY } from "./always_allow.ts";
import { CLUSTER_ROLES, joinErrors, ROLES } from "./rbac.ts";
import { compactRules, quotedList, ruleText, uncoveredRules } from "./rules.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";

/**
 * Nobody may grant more than they have: a role may only hold, and a binding may only grant, what its writer is allowed
 * to do, unless the writer may `escalate` the role or `bind` it. Upstream: `pkg/registry/rbac/<kind>/policybased`.
 *
 * @param write Of a role or a binding.
 * @param old The object that is replaced; `undefined` for a create.
 * @throws {ApiError} 403 with the missing rules, 404 if a binding's role does not exist.
 */
export function confirmNoEscalation(write: Operation, object: StoredObject, old?: StoredObject): void {
  if (write.user.groups.includes(MASTERS) || (old && changesOwnershipOnly(object, old))) return;
  if ([ROLES, CLUSTER_ROLES].includes(write.served.collection)) {
    confirmRole(write, object as StoredObject & ClusterRole, old as StoredObject & ClusterRole | undefined);
  } else confirmBinding(write, object as StoredObject & RoleBinding);
}

/** The garbage collector's writes grant nothing. */
function changesOwnershipOnly(object: StoredObject, old: StoredObject): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...metadata } = object.metadata;
  const kept = { ...ownerReferences && { ownerReferences }, ...finalizers && { finalizers } };
  const withOld = { ...metadata, ...kept, ...managedFields && { managedFields } };
  return deepEqual({ ...object, metadata: withOld }, old);
}

function confirmRole(write: Operation, role: StoredObject & ClusterRole, old?: StoredObject & ClusterRole): void {
  const { state, served, namespace, user } = write;
  const { name } = role.metadata;
  const { plural: resource, group } = served;
  if (state.authorize({ user, verb: "escalate", group, resource, namespace, name }).allowed) return;
  confirmHeld(write, role, role.rules ?? []);
  const aggregates = [role, old].some((each) => each?.aggregationRule?.clusterRoleSelectors?.length);
  if (!aggregates || missingOf(write, FULL_AUTHORITY).length === 0) return;
  throw forbidden(served, name ?? "", "must have cluster-admin privileges to use the aggregationRule");
}

function confirmBinding(write: Operation, binding: StoredObject & RoleBinding): void {
  const { state, namespace, user } = write;
  const { kind, name, apiGroup } = binding.roleRef ?? {};
  if (kind !== "ClusterRole" && kind !== "Role") return;
  const resource = kind === "Role" ? "roles" : "clusterroles";
  if (state.authorize({ user, verb: "bind", group: apiGroup ?? RBAC_GROUP, resource, namespace, name }).allowed) return;
  const role = kind === "Role" ? state.store.get(ROLES, `${namespace}/${name}`) : state.store.get(CLUSTER_ROLES, name);
  if (!role) throw notFound(write.served, name);
  confirmHeld(write, binding, (role as ClusterRole).rules ?? []);
}

function missingOf({ state, user, namespace }: Operation, wanted: readonly Rule[]): Rule[] {
  return uncoveredRules(state.rulesFor(user, namespace).rules, wanted);
}

function confirmHeld(write: Operation, object: StoredObject, wanted: readonly Rule[]): void {
  const { state, served, user, namespace } = write;
  const missing = missingOf(write, wanted);
  if (missing.length === 0) return;
  const { errors } = state.rulesFor(user, namespace);
  const texts = [...new Set(compactRules(missing).map(ruleText))].sort();
  const who = `user ${JSON.stringify(user.username)} (groups=${quotedList(user.groups)})`;
  const unresolved = errors.length > 0 ? `; resolution errors: [${joinErrors(errors)}]` : "";
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${texts.join("\n")}${unresolved}`;
  throw forbidden(served, object.metadata.name ?? "", why);
}
