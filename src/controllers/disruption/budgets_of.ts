import type { Pod, PodDisruptionBudget } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { validSelectorOfCached } from "../running/mod.ts";

/**
 * The budgets that a pod belongs to. An empty selector matches every pod of the namespace; none, or an invalid one, no pod.
 * Upstream: `k8s.io/client-go/listers/policy/v1` (GetPodPodDisruptionBudgets).
 */
export function budgetsOf(
  { metadata }: Pod,
  budgets: Pick<Lister<PodDisruptionBudget>, "list">,
): PodDisruptionBudget[] {
  return budgets.list({ namespace: metadata?.namespace }).filter(({ spec }) =>
    validSelectorOfCached(spec?.selector)?.matches(metadata?.labels)
  );
}
