import type { ClusterRole, ClusterRoleBinding, RoleBinding } from "../../../api/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";
import {
  type Access,
  type Authorizer,
  type Decision,
  type HeldRules,
  MASTERS,
  type Rule,
  type User,
} from "../access/mod.ts";
import { ruleAllows } from "./rules.ts";

export const ROLES = "roles.rbac.authorization.k8s.io";
const ROLE_BINDINGS = "rolebindings.rbac.authorization.k8s.io";
export const CLUSTER_ROLES = "clusterroles.rbac.authorization.k8s.io";
const CLUSTER_ROLE_BINDINGS = "clusterrolebindings.rbac.authorization.k8s.io";

type Binding = StoredObject & (ClusterRoleBinding | RoleBinding);
type Subject = NonNullable<Binding["subjects"]>[number];

/** What a binding grants to one of its subjects. */
interface Grant {
  /** The binding's position in the list of all bindings. */
  readonly order: number;
  readonly subject: Subject;
  readonly binding: Binding;
  readonly role: { readonly rules: readonly Rule[] } | { readonly error: string };
}

/** Grants by subject: `U` and a user's name, or `G` and a group's. */
type Grants = ReadonlyMap<string, readonly Grant[]>;

/**
 * Role-based access control over the roles and bindings in a store. Upstream: `plugin/pkg/auth/authorizer/rbac`.
 *
 * Contract:
 * 1. A rule allows its requests to the user, groups and service accounts its role is bound to: in all namespaces by a
 *    ClusterRoleBinding, in its own by a RoleBinding.
 * 2. Members of `system:masters` may do everything.
 * 3. A write to a role or a binding counts from the next decision on.
 * 4. A decision only looks at the bindings of that user and those groups, however many others there are.
 */
export class RbacAuthorizer implements Authorizer {
  readonly #store: Store;
  /**
   * By namespace; those of ClusterRoleBindings are under the empty one. A write drops the entries that it affects; they
   * are rebuilt on demand.
   */
  readonly #grants = new Map<string, Grants>();
  readonly #unsubscribe: ReadonlyArray<() => void>;

  constructor(store: Store) {
    this.#store = store;
    // A ClusterRole can be bound in any namespace.
    const everything = () => this.#grants.clear();
    const inNamespace = ({ key }: { readonly key: string }) => this.#grants.delete(key.split("/")[0]);
    this.#unsubscribe = [
      store.subscribe(CLUSTER_ROLES, everything),
      store.subscribe(CLUSTER_ROLE_BINDINGS, () => this.#grants.delete("")),
      store.subscribe(ROLES, inNamespace),
      store.subscribe(ROLE_BINDINGS, inNamespace),
    ];
  }

  readonly authorize = (access: Access): Decision => {
    if (access.user.groups.includes(MASTERS)) return { allowed: true, reason: "" };
    const errors: string[] = [];
    for (const grant of this.#grantsTo(access.user, "path" in access ? "" : access.namespace ?? "")) {
      if ("error" in grant.role) errors.push(grant.role.error);
      else if (grant.role.rules.some((rule) => ruleAllows(rule, access))) {
        return { allowed: true, reason: `RBAC: allowed by ${grantText(grant)}` };
      }
    }
    return { allowed: false, reason: errors.length > 0 ? `RBAC: ${joinErrors(errors)}` : "" };
  };

  readonly rulesFor = (user: User, namespace: string): HeldRules => {
    const rules: Rule[] = [];
    const errors: string[] = [];
    for (const { role } of this.#grantsTo(user, namespace)) {
      if ("error" in role) errors.push(role.error);
      else rules.push(...role.rules);
    }
    return { rules, errors };
  };

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** In the order of the bindings; at most one per binding, for its first matching subject. */
  *#grantsTo(user: User, namespace: string): Iterable<Grant> {
    for (const scope of namespace === "" ? [""] : ["", namespace]) {
      const grants = this.#grantsIn(scope);
      const found = new Map<Binding, Grant>();
      for (const holder of [`U${user.username}`, ...user.groups.map((group) => `G${group}`)]) {
        for (const grant of grants.get(holder) ?? []) {
          const known = found.get(grant.binding);
          if (!known || grant.order < known.order) found.set(grant.binding, grant);
        }
      }
      yield* [...found.values()].sort((a, b) => a.order - b.order);
    }
  }

  #grantsIn(namespace: string): Grants {
    let grants = this.#grants.get(namespace);
    if (!grants) this.#grants.set(namespace, grants = this.#readGrants(namespace));
    return grants;
  }

  #readGrants(namespace: string): Grants {
    const grants = new Map<string, Grant[]>();
    const collection = namespace === "" ? CLUSTER_ROLE_BINDINGS : ROLE_BINDINGS;
    let order = 0;
    for (const { object } of this.#store.list(collection, { prefix: namespace === "" ? "" : `${namespace}/` }) ?? []) {
      // The collection holds nothing else.
      const binding = object as Binding;
      const role = this.#roleOf(binding, namespace);
      for (const subject of binding.subjects ?? []) {
        const holder = holderOf(subject, namespace);
        if (holder === undefined) continue;
        const known = grants.get(holder) ?? [];
        known.push({ order: order++, subject, binding, role });
        grants.set(holder, known);
      }
    }
    return grants;
  }

  #roleOf({ roleRef }: Binding, namespace: string): Grant["role"] {
    const isCluster = roleRef.kind === "ClusterRole";
    if (!isCluster && roleRef.kind !== "Role") return { error: `unsupported role reference kind: "${roleRef.kind}"` };
    const found = isCluster
      ? this.#store.get(CLUSTER_ROLES, roleRef.name)
      : this.#store.get(ROLES, `${namespace}/${roleRef.name}`);
    if (!found) return { error: `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${roleRef.name}" not found` };
    return { rules: (found as ClusterRole).rules ?? [] };
  }
}

function holderOf({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  switch (kind) {
    case "User":
      return `U${name}`;
    case "Group":
      return `G${name}`;
    case "ServiceAccount": {
      const home = namespace || bindingNamespace;
      return home ? `Usystem:serviceaccount:${home}:${name}` : undefined;
    }
  }
  return undefined;
}

function grantText({ binding: { metadata, roleRef }, subject }: Grant): string {
  const { name, namespace } = metadata;
  const bound = namespace ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`;
  const isAccount = subject.kind === "ServiceAccount";
  const to = isAccount ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${bound} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${to}"`;
}

/** One error as it is, several in brackets without duplicates, as Go prints an aggregate. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct[0] : `[${distinct.join(", ")}]`;
}
