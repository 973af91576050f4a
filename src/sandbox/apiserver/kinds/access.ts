/** Roles and their bindings. Upstream: `pkg/apis/rbac/validation`. */
import {
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  type RbacV1Subject,
  type Role,
  type RoleBinding,
  SelectorError,
  selectorOf,
} from "../../../api/mod.ts";
import { attempt } from "../base/mod.ts";
import type { Stored, Traits } from "../traits/mod.ts";
import {
  type Check,
  dnsSubdomain,
  each,
  type FieldErrors,
  pathSegment,
  validateLabelSelector,
} from "../validation/mod.ts";

const RBAC = "rbac.authorization.k8s.io";

const validateRule = (isNamespaced: boolean): Check<PolicyRule> => (rule, at, errors) => {
  const { nonResourceURLs: urls = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  // An empty list is written as null.
  const verbs = rule.verbs ?? [];
  if (verbs.length === 0) errors.required(`${at}.verbs`, "verbs must contain at least one value");
  if (urls.length > 0) {
    const field = `${at}.nonResourceURLs`;
    if (isNamespaced) errors.invalid(field, urls, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      errors.invalid(field, urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (apiGroups.length === 0) errors.required(`${at}.apiGroups`, "resource rules must supply at least one api group");
  if (resources.length === 0) errors.required(`${at}.resources`, "resource rules must supply at least one resource");
};

function validateAggregation({ aggregationRule }: ClusterRole, errors: FieldErrors): void {
  if (!aggregationRule) return;
  const at = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [i, selector] of selectors.entries()) {
    validateLabelSelector(selector, `${at}[${i}]`, errors);
    // Upstream reports the parsed selector, which is nil.
    if (!attempt(() => selectorOf(selector), SelectorError)) {
      errors.invalid(`${at}[${i}]`, null, "invalid label selector");
    }
  }
}

/** RBAC objects are named after what they grant, colons included. */
const SHARED = { names: "path", createsOnUpdate: true } as const;

export const roles: Traits<Role> = {
  ...SHARED,
  validate: ({ rules }, errors) => each(validateRule(true))(rules ?? [], "rules", errors),
};

export const clusterRoles: Traits<ClusterRole> = {
  ...SHARED,
  validate(role, errors) {
    each(validateRule(false))(role.rules ?? [], "rules", errors);
    validateAggregation(role, errors);
  },
};

type AnyBinding = RoleBinding & ClusterRoleBinding;

const validateSubject = (isNamespaced: boolean): Check<RbacV1Subject> => (subject, at, errors) => {
  const { kind = "", name = "", apiGroup = "", namespace = "" } = subject;
  if (!name) errors.required(`${at}.name`);
  if (kind === "ServiceAccount") {
    if (name) errors.invalidFor(`${at}.name`, name, dnsSubdomain(name));
    if (apiGroup) errors.notSupported(`${at}.apiGroup`, apiGroup, [""]);
    if (!isNamespaced && !namespace) errors.required(`${at}.namespace`);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== RBAC) errors.notSupported(`${at}.apiGroup`, apiGroup, [RBAC]);
  } else errors.notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"]);
};

function bindingTraits(kinds: readonly string[], isNamespaced: boolean): Traits<AnyBinding> {
  return {
    ...SHARED,
    immutable: ["roleRef"],
    defaults({ roleRef, subjects }) {
      if (roleRef) roleRef.apiGroup ||= RBAC;
      for (const subject of subjects ?? []) {
        if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= RBAC;
      }
    },
    validate({ roleRef, subjects }: Stored<AnyBinding>, errors) {
      const { apiGroup = "", kind = "", name = "" } = roleRef ?? {};
      if (apiGroup !== RBAC) errors.notSupported("roleRef.apiGroup", apiGroup, [RBAC]);
      if (!kinds.includes(kind)) errors.notSupported("roleRef.kind", kind, kinds);
      if (!name) errors.required("roleRef.name");
      else errors.invalidFor("roleRef.name", name, pathSegment(name));
      each(validateSubject(isNamespaced))(subjects ?? [], "subjects", errors);
    },
  };
}

export const roleBindings = bindingTraits(["Role", "ClusterRole"], true);
export const clusterRoleBindings = bindingTraits(["ClusterRole"], false);
