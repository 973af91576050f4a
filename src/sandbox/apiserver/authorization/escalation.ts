import { deepEqual } from "../../../base/mod.ts";
import type { ClusterRole, RoleBinding } from "../../../api/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";
import type { Authorizer, Rule, User } from "../access/mod.ts";
import { forbidden, notFound, type Subject } from "../base/mod.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, joinErrors, ROLE_BINDINGS, ROLES } from "./rbac.ts";
import { compactRules, quotedList, ruleText, uncoveredRules } from "./rules.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";
const PRIVILEGED_GROUP = "system:masters";
const FULL_AUTHORITY: readonly Rule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export interface RoleWrite {
  readonly state: Authorizer & { readonly store: Store };
  readonly served: Subject & { readonly collection: string };
  /** Empty for ClusterRoles and ClusterRoleBindings. */
  readonly namespace: string;
  readonly user: User;
}

/**
 * Nobody may grant more than they have: a role may only hold, and a binding may only grant, what its writer is allowed
 * to do, unless the writer may `escalate` the role or `bind` it. Writes of other kinds pass. Upstream:
 * `pkg/registry/rbac/<kind>/policybased`.
 *
 * @param old The object that is replaced; `undefined` for a create.
 * @throws {ApiError} 403 with the missing rules, 404 if a binding's role does not exist.
 */
export function confirmNoEscalation(write: RoleWrite, object: StoredObject, old?: StoredObject): void {
  const { served: { collection, group }, user } = write;
  if (group !== RBAC_GROUP || user.groups.includes(PRIVILEGED_GROUP)) return;
  if (old && changesOwnershipOnly(object, old)) return;
  switch (collection) {
    case ROLES:
    case CLUSTER_ROLES:
      return confirmRole(write, object as StoredObject & ClusterRole, old as StoredObject & ClusterRole | undefined);
    case ROLE_BINDINGS:
    case CLUSTER_ROLE_BINDINGS:
      return confirmBinding(write, object as StoredObject & RoleBinding);
  }
}

/** The garbage collector's writes grant nothing. */
function changesOwnershipOnly(object: StoredObject, old: StoredObject): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...metadata } = object.metadata;
  const kept = { ...ownerReferences && { ownerReferences }, ...finalizers && { finalizers } };
  const withOld = { ...metadata, ...kept, ...managedFields && { managedFields } };
  return deepEqual({ ...object, metadata: withOld }, old);
}

function confirmRole(write: RoleWrite, role: StoredObject & ClusterRole, old?: StoredObject & ClusterRole): void {
  const { state, served, namespace, user } = write;
  const { name } = role.metadata;
  const { plural: resource, group } = served;
  if (state.authorize({ user, verb: "escalate", group, resource, namespace, name }).allowed) return;
  confirmHeld(write, role, role.rules ?? []);
  const aggregates = [role, old].some((each) => each?.aggregationRule?.clusterRoleSelectors?.length);
  if (!aggregates || missingOf(write, FULL_AUTHORITY).length === 0) return;
  throw forbidden(served, name ?? "", "must have cluster-admin privileges to use the aggregationRule");
}

function confirmBinding(write: RoleWrite, binding: StoredObject & RoleBinding): void {
  const { state, namespace, user } = write;
  const { kind, name, apiGroup } = binding.roleRef ?? {};
  if (kind !== "ClusterRole" && kind !== "Role") return;
  const resource = kind === "Role" ? "roles" : "clusterroles";
  if (state.authorize({ user, verb: "bind", group: apiGroup ?? RBAC_GROUP, resource, namespace, name }).allowed) return;
  const role = state.store.get(
    kind === "Role" ? ROLES : CLUSTER_ROLES,
    kind === "Role" ? `${namespace}/${name}` : name,
  );
  if (!role) throw notFound(write.served, name);
  confirmHeld(write, binding, (role as ClusterRole).rules ?? []);
}

function missingOf({ state, user, namespace }: RoleWrite, wanted: readonly Rule[]): Rule[] {
  return uncoveredRules(state.rulesFor(user, namespace).rules, wanted);
}

function confirmHeld(write: RoleWrite, object: StoredObject, wanted: readonly Rule[]): void {
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
