import type { TurnBudget } from "../../base/mod.ts";
import { controllerOf, type Job, JOBS, type Pod } from "../../api/mod.ts";
import { claimPods } from "../pods/mod.ts";
import { selectorOfCached, withFinalizer } from "../running/mod.ts";
import type { JobContext } from "./context.ts";
import { hasTrackingFinalizer } from "./job_pods.ts";
import { TRACKING_FINALIZER } from "./names.ts";

/**
 * A Job's pods in any state. Adopts matching orphans and releases pods that no longer match.
 *
 * @returns Adopted pods with the finalizer that adoption gave them, although the cache does not show it yet.
 * @throws {Error} If the selector is invalid, or an adoption or a release failed.
 */
export async function claimTrackedPods(
  job: Job,
  { client, guard, pods, budget }: Pick<JobContext, "client" | "guard" | "pods"> & { readonly budget: TurnBudget },
): Promise<Pod[]> {
  const claimed = await claimPods({
    client,
    guard,
    budget,
    pods,
    parent: job,
    parentResource: JOBS,
    selector: selectorOfCached(job.spec?.selector),
    finalizers: [TRACKING_FINALIZER],
  });
  return claimed.map((pod) =>
    controllerOf(pod) || hasTrackingFinalizer(pod) ? pod : withFinalizer(pod, TRACKING_FINALIZER)
  );
}
