import { type Amounts, formatAmounts, parseAmounts, sameAmounts } from "../../rules/mod.ts";
import { type ResourceQuota, type ResourceQuotaStatus } from "../../api/mod.ts";

/**
 * What a quota's status is to be, once `measured` is known; `undefined` if it says so already.
 *
 * What nobody could measure keeps the value it had; what is limited no more is left out.
 */
export function nextStatus({ spec, status }: ResourceQuota, measured: Amounts): ResourceQuotaStatus | undefined {
  const hard = parseAmounts(spec?.hard);
  const before = parseAmounts(status?.used);
  const used = new Map([...before, ...measured].filter(([name]) => hard.has(name)));
  const isSaid = status?.hard !== undefined && status.used !== undefined &&
    sameAmounts(hard, parseAmounts(status.hard)) && sameAmounts(used, before);
  return isSaid ? undefined : { hard: formatAmounts(hard), used: formatAmounts(used) };
}
