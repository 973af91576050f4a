import {
  formatTime,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Quantity,
} from "../../api/mod.ts";
import { isConflict, isNotFound, type ObjectRef } from "../../client/mod.ts";
import {
  allocatedSize,
  claimedSize,
  requestedSize,
  resizeConditions,
  resizeStatus,
  SIZE_BEFORE,
  statusesWithoutResize,
  volumeSize,
  writeClaimStatus,
} from "./claim_sizes.ts";
import { scriptOfVolume, type StorageContext, tell } from "./context.ts";
import type { Outcome } from "./outcomes.ts";

const FILE_SYSTEM_PENDING = {
  type: "FileSystemResizePending",
  message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
};

interface Bound {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/**
 * Expands the volume of a claim that requests more. Growing the file system is left to the node. Upstream:
 * `external-resizer/pkg/controller` (expandAndRecover).
 *
 * @returns When to check again, in milliseconds; `undefined` to wait for a change.
 */
export async function expand(ref: ObjectRef, context: StorageContext): Promise<number | undefined> {
  const found = boundClaim(ref, context);
  if (!found) return undefined;
  try {
    await forgetSizeBefore(found, context);
    const size = sizeToReach(found);
    return size && await grow(found, size, context);
  } catch (error) {
    // The claim has changed, which the cache will report, or is gone.
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

function boundClaim(ref: ObjectRef, { claims, volumes, driver }: StorageContext): Bound | undefined {
  const claim = claims.get(ref.namespace, ref.name);
  if (claim?.status?.phase !== "Bound") return undefined;
  const volume = volumes.get(undefined, claim.spec?.volumeName ?? "");
  const { csi, claimRef } = volume?.spec ?? {};
  return volume && csi?.driver === driver && claimRef?.uid === claim.metadata?.uid ? { claim, volume } : undefined;
}

/** The size that the volume must have now; `undefined` if there is nothing to do, or it is the node's turn. */
function sizeToReach({ claim, volume }: Bound): Quantity | undefined {
  const requested = requestedSize(claim);
  if (requested.compare(claimedSize(claim)) <= 0) return undefined;
  const allocated = allocatedSize(claim);
  const status = resizeStatus(claim);
  const isOnNode = status === "NodeResizePending" || status === "NodeResizeInProgress";
  if (volumeSize(volume).compare(requested) >= 0) return isOnNode ? undefined : allocated ?? requested;
  // A resize in progress is finished before an even larger one starts.
  if (isOnNode) return volumeSize(volume).compare(allocated ?? requested) >= 0 ? undefined : allocated ?? requested;
  const isUnderWay = status === "ControllerResizeInProgress" || status === "NodeResizeInfeasible";
  return isUnderWay ? allocated ?? requested : requested;
}

async function grow(found: Bound, size: Quantity, context: StorageContext): Promise<number | undefined> {
  const { volume } = found;
  const name = volume.metadata?.name ?? "";
  const claim = await markInProgress(found.claim, size, context);
  const { uid = "" } = claim.metadata ?? {};
  const about = [claim, PERSISTENTVOLUMECLAIMS] as const;
  const { outcomes } = scriptOfVolume("expand", volume, context);
  const { begins, outcome, againMs } = context.operations.look("expand", uid, outcomes, size.toString());
  if (begins) {
    const message = `External resizer is resizing volume ${name}`;
    tell(about, { type: "Normal", reason: "Resizing", message }, context);
  }
  if (!outcome) return againMs;
  if (outcome.result !== "ok") {
    await markFailed(claim, outcome, context);
    const message = `resize volume ${JSON.stringify(name)} by resizer ${JSON.stringify(context.driver)} failed: ` +
      outcome.message;
    tell(about, { type: "Warning", reason: "VolumeResizeFailed", message }, context);
    return againMs;
  }
  await writeVolumeSize({ claim, volume }, size, context);
  await (hasFileSystem(volume) ? markPending(claim, context) : markDone(claim, size, context));
  return undefined;
}

function hasFileSystem({ spec }: PersistentVolume): boolean {
  return spec?.volumeMode !== "Block";
}

async function writeVolumeSize({ claim, volume }: Bound, size: Quantity, context: StorageContext): Promise<void> {
  const { client, signal } = context;
  const { uid, name = "", annotations } = volume.metadata ?? {};
  const isNoted = !hasFileSystem(volume) || annotations?.[SIZE_BEFORE] !== undefined;
  const noted = isNoted ? {} : { annotations: { [SIZE_BEFORE]: claimedSize(claim).toString() } };
  const body = { metadata: { uid, ...noted }, spec: { capacity: { storage: size.toString() } } };
  await client.patchMetadata(PERSISTENTVOLUMES, { name }, { type: "strategic", body, signal });
}

/** Removes the annotation with the old size once the claim's capacity equals the volume's. */
async function forgetSizeBefore({ claim, volume }: Bound, { client, signal }: StorageContext): Promise<void> {
  const { uid, name = "", annotations } = volume.metadata ?? {};
  if (annotations?.[SIZE_BEFORE] === undefined || claimedSize(claim).compare(volumeSize(volume)) < 0) return;
  const body = { metadata: { uid, annotations: { [SIZE_BEFORE]: null } } };
  await client.patchMetadata(PERSISTENTVOLUMES, { name }, { type: "merge", body, signal });
}

async function markInProgress(
  claim: PersistentVolumeClaim,
  size: Quantity,
  context: StorageContext,
): Promise<PersistentVolumeClaim> {
  if (allocatedSize(claim)?.equals(size)) return claim;
  const status = {
    conditions: conditionsOf(claim, { type: "Resizing" }, context),
    allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    allocatedResources: { storage: size.toString() },
  };
  return await writeClaimStatus(claim, status, context);
}

async function markFailed(
  claim: PersistentVolumeClaim,
  { result, message }: Outcome,
  context: StorageContext,
): Promise<void> {
  // After any other failure it is unknown whether the volume has grown, so the resize goes on.
  if (result !== "infeasible") return;
  const said = { type: "ControllerResizeError", message: `failed to expand pvc with ${message}` };
  const status = {
    conditions: conditionsOf(claim, said, context),
    allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
  };
  await writeClaimStatus(claim, status, context);
}

async function markPending(claim: PersistentVolumeClaim, context: StorageContext): Promise<void> {
  const status = {
    conditions: conditionsOf(claim, FILE_SYSTEM_PENDING, context),
    allocatedResourceStatuses: { storage: "NodeResizePending" },
  };
  const written = await writeClaimStatus(claim, status, context);
  const message = "Require file system resize of volume on node";
  tell([written, PERSISTENTVOLUMECLAIMS], { type: "Normal", reason: "FileSystemResizeRequired", message }, context);
}

async function markDone(claim: PersistentVolumeClaim, size: Quantity, context: StorageContext): Promise<void> {
  const status = {
    capacity: { storage: size.toString() },
    conditions: conditionsOf(claim, undefined, context),
    allocatedResourceStatuses: statusesWithoutResize(claim),
  };
  const written = await writeClaimStatus(claim, status, context);
  const message = "Resize volume succeeded";
  tell([written, PERSISTENTVOLUMECLAIMS], { type: "Normal", reason: "VolumeResizeSuccessful", message }, context);
}

function conditionsOf(
  claim: PersistentVolumeClaim,
  said: Parameters<typeof resizeConditions>[1],
  { world }: StorageContext,
) {
  return resizeConditions(claim, said, formatTime(world.clock.wallMs()));
}
