import { type PersistentVolume, PERSISTENTVOLUMES } from "../../api/mod.ts";
import { isNotFound, type ObjectRef } from "../../client/mod.ts";
import { attachmentsOf, changeFinalizer, scriptOfVolume, type StorageContext, tell } from "./context.ts";
import { PROVISIONED_BY, PROVISIONER_FINALIZER } from "./new_volume.ts";

const RETRY_MS = 1000;

/**
 * Deletes a released volume of this driver if its reclaim policy says so, and maintains the finalizer that the policy
 * requires.
 * Upstream: `sig-storage-lib-external-provisioner` (syncVolume, deleteVolumeOperation).
 *
 * @returns When to check again, in milliseconds; `undefined` to wait for a change.
 */
export async function reclaim(ref: ObjectRef, context: StorageContext): Promise<number | undefined> {
  const volume = context.volumes.get(undefined, ref.name);
  if (!volume || !isOurs(volume, context)) return undefined;
  await keepGuard(volume, context);
  if (!isToBeDeleted(volume)) return undefined;
  const { operations, client, signal } = context;
  const { uid = "", name = "" } = volume.metadata ?? {};
  const [attachment] = attachmentsOf(name, context);
  const failed = (message: string) =>
    tell([volume, PERSISTENTVOLUMES], { type: "Warning", reason: "VolumeFailedDelete", message }, context);
  if (attachment) {
    failed(`persistentvolume ${name} is still attached to node ${attachment.spec.nodeName}`);
    return RETRY_MS;
  }
  const { outcomes } = scriptOfVolume("delete-volume", volume, context);
  const { outcome, againMs } = operations.look("delete-volume", uid, outcomes);
  if (!outcome) return againMs;
  if (outcome.result !== "ok") {
    failed(outcome.message);
    return againMs;
  }
  try {
    await client.delete(PERSISTENTVOLUMES, { name }, { preconditions: { uid }, signal });
    await changeFinalizer(PERSISTENTVOLUMES, volume, { remove: PROVISIONER_FINALIZER }, context);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}

function isOurs({ metadata, spec }: PersistentVolume, { driver }: StorageContext): boolean {
  return (metadata?.annotations?.[PROVISIONED_BY] ?? spec?.csi?.driver) === driver;
}

async function keepGuard(volume: PersistentVolume, context: StorageContext): Promise<void> {
  const { metadata, spec, status } = volume;
  const isGuarded = hasGuard(volume);
  const deletes = spec?.persistentVolumeReclaimPolicy === "Delete";
  if (deletes && !isGuarded && !metadata?.deletionTimestamp && status?.phase === "Bound") {
    await changeFinalizer(PERSISTENTVOLUMES, volume, { add: PROVISIONER_FINALIZER }, context);
  } else if (!deletes && isGuarded) {
    await changeFinalizer(PERSISTENTVOLUMES, volume, { remove: PROVISIONER_FINALIZER }, context);
  }
}

function hasGuard({ metadata }: PersistentVolume): boolean {
  return metadata?.finalizers?.includes(PROVISIONER_FINALIZER) ?? false;
}

function isToBeDeleted(volume: PersistentVolume): boolean {
  const { metadata, spec, status } = volume;
  const isDone = metadata?.deletionTimestamp !== undefined && !hasGuard(volume);
  return !isDone && status?.phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete";
}
