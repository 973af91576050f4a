import type { ResourceClaimConsumerReference, ResourceV1ResourceClaim } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { isPodReference } from "../device_claims/mod.ts";
import { byKey, serverSays } from "../running/mod.ts";
import { deleteClaim, removeFinalizer, writeStatus } from "./actions.ts";
import { POD, POD_GROUP } from "./claimants.ts";
import type { ClaimContext } from "./context.ts";
import { isHeld, isLeftOver, isStillUsing } from "./needs.ts";

/**
 * Removes a claim's reservations for pods that will no longer use it, frees its devices with the last one, and deletes
 * it if its own pod has ended.
 * Upstream: `pkg/controller/resourceclaim/controller.go` (syncClaim).
 *
 * @param key `namespace/name`.
 * @param signal Stops a sync that checks many pods.
 * @throws {Error} If the key must be retried.
 */
export async function syncClaim(key: string, context: ClaimContext, signal: AbortSignal): Promise<void> {
  const claim = byKey(context.claims, key);
  if (!claim) return;
  const reserved = claim.status?.reservedFor ?? [];
  const remaining: ResourceClaimConsumerReference[] = [];
  for (const consumer of reserved) {
    signal.throwIfAborted();
    if (await mustStay(consumer, claim, context)) remaining.push(consumer);
  }
  if (remaining.length < reserved.length) await release(claim, remaining, context);
  else if (remaining.length === 0 && claim.metadata?.deletionTimestamp) await letGo(claim, context);
  if (remaining.length === 0 && isLeftOver(claim, context)) await deleteClaim(claim, context);
}

/** Whether a reservation must stay, by the caches or else by the API server. */
async function mustStay(
  consumer: ResourceClaimConsumerReference,
  claim: ResourceV1ResourceClaim,
  context: ClaimContext,
): Promise<boolean> {
  const known = isStillUsing(consumer, claim, context);
  if (known !== undefined) return known;
  const { resource } = isPodReference(consumer) ? POD : POD_GROUP;
  const ref = { namespace: claim.metadata?.namespace, name: consumer.name };
  try {
    return (await context.client.getMetadata(resource, ref)).metadata?.uid === consumer.uid;
  } catch (error) {
    if (serverSays(error, isNotFound)) return false;
    throw error;
  }
}

/** The status without allocation. */
function freed({ allocation: _freed, ...status }: NonNullable<ResourceV1ResourceClaim["status"]>): typeof status {
  return status;
}

async function release(
  claim: ResourceV1ResourceClaim,
  remaining: ResourceClaimConsumerReference[],
  context: ClaimContext,
): Promise<void> {
  const status = { ...claim.status, reservedFor: remaining };
  const isFree = remaining.length === 0 && isHeld(claim);
  const written = await writeStatus(claim, isFree ? freed(status) : status, context);
  if (isHeld(written) && !written.status?.allocation) await removeFinalizer(written, context);
}

/** Removes the finalizer from an unused claim that is being deleted. */
async function letGo(claim: ResourceV1ResourceClaim, context: ClaimContext): Promise<void> {
  if (!isHeld(claim)) return;
  const written = claim.status?.allocation ? await writeStatus(claim, freed(claim.status), context) : claim;
  await removeFinalizer(written, context);
}
