import type { Rule } from "../access/mod.ts";
import { AGGREGATES, type BoundTo, CLUSTER_ROLE_BINDINGS, CONTROLLER_PREFIX, ROLE_BINDINGS } from "./role_bindings.ts";
import { CLUSTER_ROLES, ROLES } from "./role_table.ts";
import type { Body } from "./body.ts";

const GROUP = "rbac.authorization.k8s.io";
const AGGREGATE_LABEL = `${GROUP}/aggregate-to-`;
const LABELS = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const ANNOTATIONS = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

/** A parsed role of `role_table.ts`. */
interface RoleRow {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** The roles and bindings that every cluster has, by collection. */
export function roleObjects(
  { aggregatesRoles }: { readonly aggregatesRoles: boolean },
): ReadonlyArray<readonly [collection: string, bodies: readonly Body[]]> {
  const clusterRoles = parseRoles(CLUSTER_ROLES);
  const controllers = clusterRoles.flatMap(({ name }): [string, BoundTo[]][] =>
    name.startsWith(CONTROLLER_PREFIX) ? [[name, [{ account: name.slice(CONTROLLER_PREFIX.length) }]]] : []
  );
  const clusterBindings = [...Object.entries(CLUSTER_ROLE_BINDINGS), ...controllers];
  return [
    [`clusterroles.${GROUP}`, clusterRoleBodies(clusterRoles, aggregatesRoles)],
    [`clusterrolebindings.${GROUP}`, clusterBindings.map(([name, to]) => binding({ name }, "ClusterRole", name, to))],
    [
      `roles.${GROUP}`,
      parseRoles(ROLES).map(({ name, rules }) => ({ metadata: metadataOf(inNamespace(name)), rules })),
    ],
    [
      `rolebindings.${GROUP}`,
      ROLE_BINDINGS.map(({ role, name, to }) => {
        const { namespace, name: roleName } = inNamespace(role);
        return binding({ namespace, name: name ?? roleName }, "Role", roleName, to);
      }),
    ],
  ];
}

/** @param table In the notation of `role_table.ts`. */
export function parseRoles(table: string): RoleRow[] {
  const lines = table.trim().replace(/\n {4}/g, "").split("\n");
  const roles: { name: string; rules: Rule[] }[] = [];
  for (const line of lines) {
    if (!line.startsWith("  ")) roles.push({ name: line, rules: [] });
    else roles.at(-1)!.rules.push(parseRule(line.trim()));
  }
  return roles;
}

function parseRule(text: string): Rule {
  const [verbs, second, resources, resourceNames] = text.split(" ").map((list) => list.split(","));
  if (!resources) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((group) => group === "core" ? "" : group);
  return { verbs, apiGroups, resources, ...resourceNames ? { resourceNames } : {} };
}

function clusterRoleBodies(rows: readonly RoleRow[], aggregatesRoles: boolean): Body[] {
  const rulesOf = new Map(rows.map(({ name, rules }) => [name, rules]));
  // Later ones aggregate earlier ones.
  for (const [name, parts] of Object.entries(AGGREGATES)) {
    const rules = aggregatesRoles ? distinct(parts.flatMap((part) => rulesOf.get(part) ?? [])) : [];
    rulesOf.set(name, rules);
  }
  return rows.map(({ name }) => {
    const [whole] = Object.entries(AGGREGATES).find(([, parts]) => parts.includes(name)) ?? [];
    const labels = { ...LABELS, ...whole ? { [AGGREGATE_LABEL + whole]: "true" } : {} };
    const selector = { matchLabels: { [AGGREGATE_LABEL + name]: "true" } };
    return {
      ...name in AGGREGATES ? { aggregationRule: { clusterRoleSelectors: [selector] } } : {},
      metadata: { ...metadataOf({ name }), labels },
      rules: rulesOf.get(name)!,
    };
  });
}

function distinct(rules: readonly Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function inNamespace(path: string): { readonly namespace: string; readonly name: string } {
  const slash = path.indexOf("/");
  return { namespace: path.slice(0, slash), name: path.slice(slash + 1) };
}

function metadataOf(name: { readonly name: string; readonly namespace?: string }): Body["metadata"] {
  return { ...name, labels: LABELS, annotations: ANNOTATIONS };
}

function binding(
  name: { readonly name: string; readonly namespace?: string },
  kind: "ClusterRole" | "Role",
  role: string,
  to: readonly BoundTo[],
): Body {
  return {
    metadata: metadataOf(name),
    roleRef: { apiGroup: GROUP, kind, name: role },
    ...to.length > 0 ? { subjects: to.map(subject) } : {},
  };
}

function subject(bound: BoundTo): object {
  if ("account" in bound) return { kind: "ServiceAccount", name: bound.account, namespace: "kube-system" };
  return "user" in bound
    ? { apiGroup: GROUP, kind: "User", name: bound.user }
    : { apiGroup: GROUP, kind: "Group", name: bound.group };
}
