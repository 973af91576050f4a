import { objectKey } from "../../api/mod.ts";
import type { DeploymentContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { planProgressCheck, rolloutStatus } from "./progress.ts";
import type { ReplicaSets } from "./replica_sets.ts";
import { calculateStatus, isSameStatus } from "./status.ts";
import { putStatus } from "./writes.ts";

/** Writes the status of a Deployment that is not rolling out, if it changed. */
export async function syncStatus(draft: Draft, replicaSets: ReplicaSets, context: DeploymentContext): Promise<void> {
  const status = calculateStatus(draft.deployment, replicaSets, context.world.clock.wallMs());
  if (isSameStatus(draft.deployment.status, status)) return;
  draft.status = status;
  await putStatus(draft, context);
}

/** Writes the status of a rollout if it changed; if not, plans to look whether it is stuck. */
export async function syncRolloutStatus(
  draft: Draft,
  replicaSets: ReplicaSets,
  context: DeploymentContext,
): Promise<void> {
  const { deployment } = draft;
  const status = rolloutStatus(deployment, replicaSets, context.world.clock.wallMs());
  if (!isSameStatus(deployment.status, status)) {
    draft.status = status;
    return await putStatus(draft, context);
  }
  const check = planProgressCheck(deployment, status, context.world.clock.wallMs());
  const key = objectKey(deployment);
  switch (check.when) {
    case "never":
      return;
    case "rateLimited":
      return context.queue.addRateLimited(key, "progress deadline is near");
    case "after":
      return context.queue.addAfter(key, check.delayMs, { due: "progress deadline passed" });
  }
}
