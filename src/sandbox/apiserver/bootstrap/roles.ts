import type { ClusterRole, ClusterRoleBinding, ObjectMeta } from "../../../api/mod.ts";
import type { Rule } from "../access/mod.ts";
import type { Bodies, Body } from "./body.ts";
import { ROLES } from "./generated_roles.ts";

const GROUP = "rbac.authorization.k8s.io";

/** The labels and annotations that all roles and bindings have which every cluster has. */
export const LABELS = { "kubernetes.io/bootstrapping": "rbac-defaults" };
export const ANNOTATIONS = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

/** A role or a binding. */
export type RoleObject =
  & { readonly metadata: ObjectMeta }
  & Partial<Pick<ClusterRole, "aggregationRule"> & Pick<ClusterRoleBinding, "roleRef" | "subjects">>
  & { readonly rules?: readonly Rule[] };

const known = new Map<boolean, Bodies>();

/** The roles and bindings that every cluster has, by collection: always the same objects. */
export function roleObjects({ aggregatesRoles }: { readonly aggregatesRoles: boolean }): Bodies {
  const bodies = known.get(aggregatesRoles) ?? readRoles(aggregatesRoles);
  known.set(aggregatesRoles, bodies);
  return bodies;
}

function readRoles(aggregatesRoles: boolean): Bodies {
  return Object.entries(ROLES).map(([plural, rows]) => {
    const objects = rows.trim().split("\n").map((row): RoleObject => JSON.parse(row));
    const bodies = objects.map((object): Body => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...LABELS, ...object.metadata.labels }, annotations: ANNOTATIONS },
      ...object.aggregationRule ? { rules: aggregatesRoles ? rulesOf(object, objects) : [] } : {},
    }));
    return [`${plural}.${GROUP}`, bodies];
  });
}

/** A role's rules: for an aggregate, the distinct ones of the roles that it selects by a label. */
function rulesOf({ aggregationRule, rules = [] }: RoleObject, all: readonly RoleObject[]): readonly Rule[] {
  if (!aggregationRule) return rules;
  const [label] = (aggregationRule.clusterRoleSelectors ?? []).flatMap(({ matchLabels }) =>
    Object.keys(matchLabels ?? {})
  );
  const found = all.filter(({ metadata }) => metadata.labels?.[label]).flatMap((role) => rulesOf(role, all));
  return [...new Map(found.map((rule) => [JSON.stringify(rule), rule])).values()];
}
