import type { ResourceClaimConsumerReference, ResourceV1ResourceClaim } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { isGroupReference, isPodReference } from "../device_claims/mod.ts";
import { byKey, serverSays } from "../running/mod.ts";
import { deleteClaim, DEVICES_FINALIZER, removeFinalizer, writeStatus } from "./actions.ts";
import { POD, POD_GROUP } from "./claimants.ts";
import type { ClaimContext } from "./context.ts";
import { owningPod } from "./indexes.ts";
import { isPodDone } from "./needs.ts";

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
    if (await isStillUsing(consumer, claim, context)) remaining.push(consumer);
  }
  if (remaining.length < reserved.length) await release(claim, remaining, context);
  else if (remaining.length === 0 && claim.metadata?.deletionTimestamp) await letGo(claim, context);
  if (remaining.length === 0) await deleteUnlessNeeded(claim, context);
}

/** Whether a reservation must stay. Only pods and groups are known here; other reservations are left alone. */
async function isStillUsing(
  consumer: ResourceClaimConsumerReference,
  { metadata }: ResourceV1ResourceClaim,
  { pods, groups, gone, client }: ClaimContext,
): Promise<boolean> {
  const isPod = isPodReference(consumer);
  if (!isPod && !(groups && isGroupReference(consumer))) return true;
  const { name, uid } = consumer;
  if (gone.get(uid)) return false;
  const namespace = metadata?.namespace;
  const pod = isPod ? pods.get(namespace, name) : undefined;
  const cached = isPod ? pod : groups?.get(namespace, name);
  if (cached) return cached.metadata?.uid === uid && !(pod && isPodDone(pod));
  try {
    // The scheduler may have reserved it for a pod that the cache does not show yet.
    const { resource } = isPod ? POD : POD_GROUP;
    return (await client.getMetadata(resource, { namespace, name })).metadata?.uid === uid;
  } catch (error) {
    if (serverSays(error, isNotFound)) return false;
    throw error;
  }
}

/** The status without allocation. */
function freed({ allocation: _freed, ...status }: NonNullable<ResourceV1ResourceClaim["status"]>): typeof status {
  return status;
}

function isHeld({ metadata }: ResourceV1ResourceClaim): boolean {
  return metadata?.finalizers?.includes(DEVICES_FINALIZER) ?? false;
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

/**
 * Deletes a claim generated for a pod that has ended. When the pod itself is deleted, the garbage collector removes
 * what it owns.
 */
async function deleteUnlessNeeded(claim: ResourceV1ResourceClaim, context: ClaimContext): Promise<void> {
  const owner = owningPod(claim);
  if (!owner) return;
  const pod = context.pods.get(claim.metadata?.namespace, owner.name);
  if (pod && (pod.metadata?.uid !== owner.uid || isPodDone(pod))) await deleteClaim(claim, context);
}
