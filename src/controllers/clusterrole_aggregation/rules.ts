import type { ClusterRole, PolicyRule } from "../../api/mod.ts";

/** A rule with a key that equal rules share. */
export interface TextedRule {
  readonly rule: PolicyRule;
  readonly text: string;
}

/** Rules by their role. Cached roles never change. */
const known = new WeakMap<ClusterRole, readonly TextedRule[]>();

/** The rules of a cached role, computed once per object. */
export function rulesOf(role: ClusterRole): readonly TextedRule[] {
  let rules = known.get(role);
  if (!rules) known.set(role, rules = (role.rules ?? []).map((rule) => ({ rule, text: textOf(rule) })));
  return rules;
}

/** Whether both are the same rules in the same order. */
export function areSame(a: readonly TextedRule[], b: readonly TextedRule[]): boolean {
  return a.length === b.length && a.every(({ text }, i) => text === b[i].text);
}

/** A rule without empty lists. */
export function withoutEmptyLists(rule: PolicyRule): PolicyRule {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const lists = Object.entries({ apiGroups, nonResourceURLs, resourceNames, resources, verbs });
  return Object.fromEntries(lists.filter(([, list]) => list && list.length > 0)) as unknown as PolicyRule; // a stored rule has verbs
}

/** The order within a list matters; an absent list counts as empty. */
function textOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}
