import type { PodDisruptionBudget } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { type ApiError, forbidden, tooManyRequests } from "../base/mod.ts";

const MOST_DISRUPTED_PODS = 2000;
const RETRY_SECONDS = 10;
const CANNOT = "Cannot evict pod as it would violate the pod's disruption budget.";

export type StoredBudget = PodDisruptionBudget & StoredObject;

/**
 * Uses up one disruption of a budget. Upstream: `pkg/registry/core/pod/storage/eviction.go` (checkAndDecrement).
 *
 * @throws {ApiError} 429 if it currently allows none, 403 if its status is invalid.
 */
export function checkBudget(budget: StoredBudget): void {
  const { metadata, status } = budget;
  const name = metadata.name!;
  const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status ?? {};
  if (observedGeneration < (metadata.generation ?? 0)) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, RETRY_SECONDS);
  }
  const subject = { group: "policy", plural: "poddisruptionbudget", kind: "PodDisruptionBudget" };
  if (disruptionsAllowed < 0) throw forbidden(subject, name, "pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > MOST_DISRUPTED_PODS) {
    throw forbidden(subject, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (disruptionsAllowed === 0) throw refusal(whyNone(budget));
}

/** Why a budget allows no disruption, as far as known. */
function whyNone({ metadata: { name }, status }: StoredBudget): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions } = status ?? {};
  const condition = conditions?.find(({ type }) => type === "DisruptionAllowed");
  const said = condition?.status === "False" ? condition.message : "";
  if (said && condition?.reason === "SyncFailed") {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${said}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const why = said ? ` (${condition?.reason}): ${said}` : "";
  return `The disruption budget ${name} does not allow evicting pods currently${why}`;
}

function refusal(message: string, retryAfterSeconds = 0): ApiError {
  return tooManyRequests(CANNOT, retryAfterSeconds, [{ reason: "DisruptionBudget", message }]);
}
