import { type Amounts, formatAmounts, parseAmounts, sameAmounts } from "../../rules/mod.ts";
import { type ResourceQuota, type ResourceQuotaStatus } from "../../api/mod.ts";

/**
 * A quota's new status, given `measured`; `undefined` if it is already right.
 *
 * Values that could not be measured stay; names that are no longer limited are removed.
 */
export function nextStatus({ spec, status }: ResourceQuota, measured: Amounts): ResourceQuotaStatus | undefined {
  const hard = parseAmounts(spec?.hard);
  const before = parseAmounts(status?.used);
  const used = new Map([...before, ...measured].filter(([name]) => hard.has(name)));
  const isSaid = status?.hard !== undefined && status.used !== undefined &&
    sameAmounts(hard, parseAmounts(status.hard)) && sameAmounts(used, before);
  return isSaid ? undefined : { hard: formatAmounts(hard), used: formatAmounts(used) };
}
