import { TurnBudget } from "../../base/mod.ts";
import { parseAmounts, quotaScopes } from "../../rules/mod.ts";
import { splitKey } from "../../api/mod.ts";
import { aggregateErrors } from "../running/mod.ts";
import { writeStatus } from "./actions.ts";
import type { QuotaContext } from "./context.ts";
import { nextStatus } from "./status.ts";
import { calculateUsage } from "./usage.ts";

/**
 * Computes the usage of a quota's namespace, and writes it if it changed.
 *
 * Upstream: `pkg/controller/resourcequota/resource_quota_controller.go` (syncResourceQuotaFromKey).
 *
 * @throws {Error} If something could not be measured, or the write failed; everything measured was written.
 */
export async function syncQuota(key: string, { world, client, quotas, evaluators }: QuotaContext): Promise<void> {
  const { namespace, name } = splitKey(key);
  const quota = quotas.get(namespace, name);
  if (!quota) return world.log.info("Resource quota has been deleted", { key });
  const hard = parseAmounts(quota.spec?.hard);
  const budget = new TurnBudget(world.clock);
  const { used, errors } = await budget.run(calculateUsage(evaluators.all, {
    namespace,
    names: [...hard.keys()],
    scopes: quotaScopes(quota),
    nowMs: world.clock.wallMs(),
  }));
  const status = nextStatus(quota, used);
  const failures: unknown[] = [...errors];
  if (status) {
    try {
      await writeStatus(quota, status, client);
    } catch (error) {
      failures.push(error);
    }
  }
  const failure = aggregateErrors(failures);
  if (failure) throw failure;
}
