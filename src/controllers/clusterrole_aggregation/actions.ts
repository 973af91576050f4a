import { type ClusterRole, CLUSTERROLES, type PolicyRule } from "../../api/mod.ts";
import { isUnsupportedMediaType } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { RoleClient } from "./context.ts";
import { withoutEmptyLists } from "./rules.ts";

const FIELD_MANAGER = "clusterrole-aggregation-controller";

/**
 * Sets a role's rules, whoever owned them before. If there are none, they are left out of the apply, so the API server
 * removes those that came from here.
 *
 * @throws {StatusError} If the API server refuses.
 */
export async function applyRules(client: RoleClient, role: ClusterRole, rules: readonly PolicyRule[]): Promise<void> {
  const applied: ClusterRole = {
    metadata: { name: role.metadata?.name },
    ...rules.length > 0 ? { rules: rules.map(withoutEmptyLists) } : {},
  };
  try {
    await client.apply(CLUSTERROLES, applied, { fieldManager: FIELD_MANAGER, force: true });
  } catch (error) {
    // A server without server-side apply.
    if (!serverSays(error, isUnsupportedMediaType)) throw error;
    await client.update(CLUSTERROLES, { ...role, rules: [...rules] });
  }
}
