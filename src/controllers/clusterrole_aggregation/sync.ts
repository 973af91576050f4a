import { TurnBudget } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { applyRules } from "./actions.ts";
import { aggregatedRules } from "./aggregation.ts";
import type { RoleContext } from "./context.ts";
import { areSame, rulesOf } from "./rules.ts";

/**
 * Gives an aggregated role the rules of those that it selects.
 *
 * @throws {SelectorError} If one of its selectors is invalid.
 * @throws {StatusError} If its rules could not be written.
 */
export async function syncRole(name: string, { world: { clock }, client, roles }: RoleContext): Promise<void> {
  const role = byKey(roles, name);
  if (!role?.aggregationRule) return;
  const rules = await new TurnBudget(clock).run(aggregatedRules(role, roles.list()));
  if (!areSame(rules, rulesOf(role))) await applyRules(client, role, rules.map(({ rule }) => rule));
}
