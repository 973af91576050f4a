import { errorText } from "../../base/mod.ts";
import { objectKey, type Pod, type PodDisruptionBudget, selectorGoText } from "../../api/mod.ts";
import { isConflict } from "../../client/mod.ts";
import { byKey, selectorOfCached, serverSays } from "../running/mod.ts";
import { writeStatus } from "./actions.ts";
import type { DisruptionContext } from "./context.ts";
import { countHealthy, disruptionsOf } from "./disrupted_pods.ts";
import { dependsOnScale, type Expectation, expectationOf } from "./expectation.ts";
import { scaleOf } from "./owner_scale.ts";
import { failSafeStatus, nextStatus } from "./status.ts";

/**
 * Computes how many pods of a budget may be evicted now, and writes that to its status. If it cannot be computed, none
 * may be: uncounted evictions could take down a whole workload.
 * Upstream: `pkg/controller/disruption/disruption.go` (sync).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: the status could not be written.
 */
export async function syncBudget(key: string, context: DisruptionContext): Promise<void> {
  const { world: { clock, log }, budgets } = context;
  const budget = byKey(budgets, key);
  if (!budget) return;
  try {
    await count(budget, context);
  } catch (error) {
    // Usually the eviction subresource was faster, and its entry must not be lost.
    if (serverSays(error, isConflict)) throw error;
    log.error("Failed to sync PDB", { err: error, podDisruptionBudget: key });
    await writeStatus(budget, failSafeStatus(budget, errorText(error), clock.wallMs()), context);
  }
}

async function count(budget: PodDisruptionBudget, context: DisruptionContext): Promise<void> {
  const { world: { clock }, recorder, rechecks } = context;
  const pods = podsOf(budget, context);
  const expectation = await expect(budget, pods, context);
  const nowMs = clock.wallMs();
  const { kept, overdue, recheckInMs } = disruptionsOf(budget.status?.disruptedPods, pods, nowMs);
  const { namespace } = budget.metadata ?? {};
  for (const pod of overdue) {
    // Upstream prints the namespace where the name should be.
    const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
    recorder.event(pod, "Warning", "NotDeleted", message);
  }
  const currentHealthy = countHealthy(pods, kept, nowMs);
  const status = nextStatus(budget, { ...expectation, currentHealthy, disruptedPods: kept }, nowMs);
  if (status) await writeStatus(budget, status, context);
  if (recheckInMs !== undefined) {
    rechecks.addAfter(objectKey(budget), recheckInMs, { due: "an evicted pod should be deleted by now" });
  }
}

/** @throws {SelectorError} If the selector is invalid. */
function podsOf(budget: PodDisruptionBudget, { recorder, pods }: DisruptionContext): Pod[] {
  try {
    const selector = selectorOfCached(budget.spec?.selector);
    const selected = pods.list({ namespace: budget.metadata?.namespace, selector });
    if (selected.length === 0) recorder.event(budget, "Normal", "NoPods", "No matching pods found");
    return selected;
  } catch (error) {
    recorder.event(budget, "Warning", "NoPods", `Failed to get pods: ${errorText(error)}`);
    throw error;
  }
}

/** @throws {Error} If an owner's scale cannot be read, or the budget is invalid. */
async function expect(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  context: DisruptionContext,
): Promise<Expectation> {
  const { recorder } = context;
  const spec = budget.spec ?? {};
  try {
    if (!dependsOnScale(spec)) return expectationOf(spec, pods.length);
    const { replicas, unmanaged } = await scaleOf(pods, context);
    const expectation = expectationOf(spec, replicas);
    if (unmanaged.length > 0) recorder.event(budget, "Warning", "UnmanagedPods", unmanagedMessage(budget));
    return expectation;
  } catch (error) {
    const message = `Failed to calculate the number of expected pods: ${errorText(error)}`;
    recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    throw error;
  }
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  return `Pods selected by this PodDisruptionBudget (selector: ${
    selectorGoText(spec?.selector ?? {})
  }) were found to be ` +
    "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
}
