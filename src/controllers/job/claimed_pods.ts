import { controllerOf, type Job, JOBS, type Pod, PODS } from "../../api/mod.ts";
import type { TurnBudget } from "../../base/mod.ts";
import { claim, orphanPods, podsControlledBy } from "../pods/mod.ts";
import { selectorOfCached } from "../running/mod.ts";
import type { JobContext } from "./context.ts";
import { hasTrackingFinalizer } from "./job_pods.ts";
import { TRACKING_FINALIZER } from "./names.ts";

/**
 * The pods of a Job, in any state: orphans that match are adopted, strangers released.
 *
 * @returns Adopted pods with the finalizer that adoption gave them, although the cache does not show it yet.
 * @throws {Error} If the selector is invalid, or an adoption or a release failed.
 */
export async function claimPods(
  job: Job,
  { client, guard, pods, budget }: Pick<JobContext, "client" | "guard" | "pods"> & { readonly budget: TurnBudget },
): Promise<Pod[]> {
  const candidates = [...podsControlledBy(pods, job, JOBS.kind), ...orphanPods(pods, job.metadata?.namespace)];
  const claimed = await claim(candidates, {
    client,
    parent: job,
    parentResource: JOBS,
    resource: PODS,
    selector: selectorOfCached(job.spec?.selector),
    budget,
    finalizers: [TRACKING_FINALIZER],
    onPatched: (pod) => guard.wrotePod(pod),
  });
  return claimed.map((pod) => controllerOf(pod) || hasTrackingFinalizer(pod) ? pod : withFinalizer(pod));
}

function withFinalizer(pod: Pod): Pod {
  const finalizers = [...pod.metadata?.finalizers ?? [], TRACKING_FINALIZER];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}
