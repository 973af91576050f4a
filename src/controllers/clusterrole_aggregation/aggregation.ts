import type { ClusterRole } from "../../api/mod.ts";
import { compareUtf8 } from "../../base/mod.ts";
import { selectorOfCached } from "../running/mod.ts";
import { rulesOf, type TextedRule } from "./rules.ts";

/**
 * The rules of all roles that an aggregated role selects: in the order of its selectors, then by name, each rule once.
 *
 * @param roles All roles, including the role itself.
 * @returns Steps that each process one role.
 * @throws {SelectorError} If a selector is invalid.
 */
export function* aggregatedRules(
  role: ClusterRole,
  roles: readonly ClusterRole[],
): Generator<void, readonly TextedRule[]> {
  const rules = new Map<string, TextedRule>();
  for (const labelSelector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorOfCached(labelSelector);
    const selected: ClusterRole[] = [];
    for (const each of roles) {
      if (selector.matches(each.metadata?.labels) && nameOf(each) !== nameOf(role)) selected.push(each);
      yield;
    }
    for (const each of selected.sort((a, b) => compareUtf8(nameOf(a), nameOf(b)))) {
      for (const rule of rulesOf(each)) {
        if (!rules.has(rule.text)) rules.set(rule.text, rule);
      }
      yield;
    }
  }
  return [...rules.values()];
}

function nameOf({ metadata }: ClusterRole): string {
  return metadata?.name ?? "";
}
