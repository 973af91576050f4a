import { type Amounts, formatAmounts, parseAmounts, quotaScopes, sameAmounts } from "../../rules/mod.ts";
import { type ResourceQuota, RESOURCEQUOTAS, type ResourceQuotaStatus, splitKey } from "../../api/mod.ts";
import { type Clock, type Logger, TurnBudget } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import { aggregateErrors } from "../running/mod.ts";
import type { CountedKind } from "./evaluators.ts";
import { calculateUsage } from "./usage.ts";

/** What a sync reads, and what it acts with. */
export interface QuotaContext {
  readonly world: { readonly clock: Clock; readonly log: Logger };
  readonly client: Pick<Client, "updateStatus">;
  readonly quotas: Pick<Lister<ResourceQuota>, "get">;
  readonly evaluators: { readonly all: Iterable<CountedKind> };
}

/**
 * Computes what a quota's namespace uses, and writes it down where it changed.
 *
 * The whole quota is sent, with its version: admission counts up meanwhile, and must not be overwritten.
 *
 * Upstream: `pkg/controller/resourcequota/resource_quota_controller.go` (syncResourceQuotaFromKey).
 *
 * @throws {Error} If something could not be measured, or the write failed; what could be measured was written.
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
      await client.updateStatus(RESOURCEQUOTAS, { ...quota, status });
    } catch (error) {
      failures.push(error);
    }
  }
  const failure = aggregateErrors(failures);
  if (failure) throw failure;
}

/**
 * What a quota's status is to be, once `measured` is known; `undefined` where it says so already.
 *
 * What nobody could measure keeps the value it had; what is limited no more is left out.
 */
function nextStatus({ spec, status }: ResourceQuota, measured: Amounts): ResourceQuotaStatus | undefined {
  const hard = parseAmounts(spec?.hard);
  const before = parseAmounts(status?.used);
  const used = new Map([...before, ...measured].filter(([name]) => hard.has(name)));
  const isSaid = status?.hard !== undefined && status.used !== undefined &&
    sameAmounts(hard, parseAmounts(status.hard)) && sameAmounts(used, before);
  return isSaid ? undefined : { hard: formatAmounts(hard), used: formatAmounts(used) };
}
