import { joinKey, type ObjectReference, type PersistentVolume, type PersistentVolumeClaim } from "../../api/mod.ts";
import { volumeModeOf } from "../volumes/mod.ts";
import { liveClaim, setPhase, unbind, writeVolume } from "./actions.ts";
import type { BinderContext } from "./context.ts";
import { volumeAsMigrated } from "./migration.ts";
import { isAnnotated, PROVISIONED_BY } from "./names.ts";
import { reclaim } from "./reclaim.ts";

/**
 * Sets a volume's phase, and reclaims it once its claim is gone.
 * Upstream: `pkg/controller/volume/persistentvolume/pv_controller.go` (syncVolume).
 *
 * @param shown From a cache; not modified.
 * @throws {Error} If the volume must be retried.
 */
export async function syncVolume(shown: PersistentVolume, context: BinderContext): Promise<void> {
  const migrated = volumeAsMigrated(shown);
  const volume = migrated === shown ? shown : await writeVolume(migrated, context);
  const ref = volume.spec?.claimRef;
  if (!ref?.uid) return void await setPhase(volume, "Available", context);
  const claim = await claimOf(volume, ref, context);
  if (!claim) return await release(volume, context);
  const { volumeName } = claim.spec ?? {};
  if (!volumeName) return meet(volume, claim, context);
  if (volumeName === volume.metadata?.name) return void await setPhase(volume, "Bound", context);
  const isSuperfluous = isAnnotated(volume, PROVISIONED_BY) && volume.spec?.persistentVolumeReclaimPolicy === "Delete";
  return isSuperfluous ? await release(volume, context) : await unbind(volume, context);
}

/**
 * The claim that a volume is bound to. A cache that lacks it, or shows another one of its name, proves nothing: the
 * caches of a new process may be behind, and data depends on it.
 */
async function claimOf(
  volume: PersistentVolume,
  ref: ObjectReference,
  context: BinderContext,
): Promise<PersistentVolumeClaim | undefined> {
  const key = joinKey(ref.namespace, ref.name ?? "");
  let cached = context.claims.get(key);
  if (!cached && !isReleased(volume)) cached = context.shownClaims.get(key);
  if (cached?.metadata?.uid === ref.uid) return cached;
  if (!cached && isReleased(volume)) return undefined; // it was found to be gone before
  const live = await liveClaim(ref, context);
  return live?.metadata?.uid === ref.uid ? live : undefined;
}

function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === "Released" || status?.phase === "Failed";
}

async function release(volume: PersistentVolume, context: BinderContext): Promise<void> {
  // A volume that has failed stays so, with its message.
  await reclaim(isReleased(volume) ? volume : await setPhase(volume, "Released", context), context);
}

/** The claim does not refer to the volume yet. */
function meet(volume: PersistentVolume, claim: PersistentVolumeClaim, { recorder, claimQueue }: BinderContext): void {
  const { namespace, name = "" } = claim.metadata ?? {};
  if (volumeModeOf(volume.spec) === volumeModeOf(claim.spec)) {
    return claimQueue.add(joinKey(namespace, name), `volume ${volume.metadata?.name} waits for it`);
  }
  const why = "due to incompatible volumeMode.";
  const [ofClaim, ofVolume] = [name, volume.metadata?.name].map((each) => JSON.stringify(each));
  const toVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${ofClaim} ${why}`;
  const toClaim = `Cannot bind PersistentVolume ${ofVolume} to requested PersistentVolumeClaim ${why}`;
  recorder.event(volume, "Warning", "VolumeMismatch", toVolume);
  recorder.event(claim, "Warning", "VolumeMismatch", toClaim);
}
