import { errorText } from "../../base/mod.ts";
import {
  formatTime,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Quantity,
} from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { BoundClaim, ExpanderContext } from "./context.ts";
import { claimedSize, SIZE_BEFORE } from "./sizes.ts";
import { type ClaimPatch, finished, inProgress, pendingOnNode, resizerPatch } from "./status.ts";

/** Annotates the claim with its resizer, even if it already is: the resizer waits for that. */
export async function nameResizer(
  claim: PersistentVolumeClaim,
  resizer: string,
  context: ExpanderContext,
): Promise<void> {
  await patchClaim(claim, resizerPatch(resizer), context);
}

export async function markInProgress(
  claim: PersistentVolumeClaim,
  { size, resizer }: { readonly size: Quantity; readonly resizer: string },
  context: ExpanderContext,
): Promise<PersistentVolumeClaim> {
  return await patchClaim(claim, inProgress(claim, { size, resizer, now: nowOf(context) }), context);
}

/** Leaves the rest of a resize to the node, and records the claim's previous size. */
export async function leaveToNode({ claim, volume }: BoundClaim, context: ExpanderContext): Promise<void> {
  try {
    await patchClaim(claim, pendingOnNode(claim, nowOf(context)), context);
  } catch (error) {
    throw failure(`error marking pvc ${nameOf(claim)} for node expansion`, error);
  }
  if (volume.metadata?.annotations?.[SIZE_BEFORE] !== undefined) return;
  const before = claimedSize(claim).toString();
  try {
    await patchVolume(volume, { metadata: { annotations: { [SIZE_BEFORE]: before } } }, context);
  } catch (error) {
    const what =
      `error updating pv ${volume.metadata?.name} annotation (${SIZE_BEFORE}) with pre-resize capacity ${before}`;
    throw failure(what, error);
  }
}

export async function markFinished(
  claim: PersistentVolumeClaim,
  size: Quantity,
  context: ExpanderContext,
): Promise<PersistentVolumeClaim> {
  return await patchClaim(claim, finished(claim, { size, now: nowOf(context) }), context);
}

/** @returns The volume as the API server has it now. */
export async function writeVolumeSize(
  volume: PersistentVolume,
  size: Quantity,
  context: ExpanderContext,
): Promise<PersistentVolume> {
  return await patchVolume(volume, { spec: { capacity: { storage: size.toString() } } }, context);
}

export async function forgetSizeBefore(volume: PersistentVolume, context: ExpanderContext): Promise<void> {
  await patchVolume(volume, { metadata: { annotations: { [SIZE_BEFORE]: null } } }, context);
}

/** An error of one step, in upstream's words. */
export function failure(what: string, error: unknown): Error {
  return new Error(`${what}: ${errorText(error)}`, { cause: error });
}

/** A claim's name in errors and events. */
export function nameOf({ metadata }: PersistentVolumeClaim): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

async function patchClaim(
  claim: PersistentVolumeClaim,
  { metadata, status }: ClaimPatch,
  { client }: ExpanderContext,
): Promise<PersistentVolumeClaim> {
  // A patch for another state of the claim must not be applied.
  const { name, resourceVersion } = claim.metadata ?? {};
  const body = { metadata: { ...metadata, resourceVersion }, ...status ? { status } : {} };
  try {
    return await client.patch(PERSISTENTVOLUMECLAIMS, refOf(claim), { type: "strategic", body, subresource: "status" });
  } catch (error) {
    throw failure(`patchPVCStatus failed to patch PVC ${JSON.stringify(name)}`, error);
  }
}

async function patchVolume(
  volume: PersistentVolume,
  body: object,
  { client }: ExpanderContext,
): Promise<PersistentVolume> {
  try {
    return await client.patch(PERSISTENTVOLUMES, refOf(volume), { type: "strategic", body });
  } catch (error) {
    const what = `error Patching PV ${JSON.stringify(volume.metadata?.name)} with error `;
    throw failure(what, error);
  }
}

function nowOf({ clock }: ExpanderContext): string {
  return formatTime(clock.wallMs());
}
