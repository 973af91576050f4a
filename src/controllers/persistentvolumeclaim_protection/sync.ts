import { objectKey, type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS } from "../../api/mod.ts";
import { podsNaming } from "../pod_volumes/mod.ts";
import { guard } from "../protection/mod.ts";
import { byKey } from "../running/mod.ts";
import { writeConditions } from "./actions.ts";
import type { Batch, ProtectionContext } from "./context.ts";
import { unusedConditions } from "./unused_condition.ts";
import { holds, refersTo, type Uses } from "./usage.ts";

/** The finalizer that keeps claims. The API server adds it to new ones. */
export const FINALIZER = "kubernetes.io/pvc-protection";

/**
 * Adds the finalizer to a claim, and removes it once the claim is being deleted and no pod uses it.
 * Upstream: `pkg/controller/volume/pvcprotection` (processPVC).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: pods could not be listed, or the claim could not be written.
 */
export async function syncClaim(key: string, context: ProtectionContext, batch: Batch): Promise<void> {
  const cached = byKey(context.claims, key);
  if (!cached) return;
  const claim = context.tellsUnused && !cached.metadata?.deletionTimestamp
    ? await tellUnused(cached, context, batch)
    : cached;
  await guard(claim, {
    world: context.world,
    client: context.client,
    resource: PERSISTENTVOLUMECLAIMS,
    finalizer: FINALIZER,
    isUsed: (candidate) => isUsed(candidate, holds, context, batch),
  });
}

async function tellUnused(
  claim: PersistentVolumeClaim,
  context: ProtectionContext,
  batch: Batch,
): Promise<PersistentVolumeClaim> {
  const inUse = await isUsed(claim, refersTo, context, batch);
  const conditions = unusedConditions(claim, inUse, context.world.clock.wallMs());
  return conditions ? await writeConditions(claim, conditions, context) : claim;
}

/** A cached pod is sufficient proof; the absence of one is not, so the API server is asked. */
async function isUsed(
  claim: PersistentVolumeClaim,
  uses: Uses,
  { pods }: ProtectionContext,
  { livePods, signal }: Batch,
): Promise<boolean> {
  if (podsNaming(pods, objectKey(claim)).some((pod) => uses(pod, claim))) return true;
  return (await livePods.naming(claim.metadata?.name ?? "", signal)).some((pod) => uses(pod, claim));
}
