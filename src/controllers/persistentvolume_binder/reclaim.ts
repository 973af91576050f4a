import type { PersistentVolume } from "../../api/mod.ts";
import { setPhase } from "./actions.ts";
import type { BinderContext } from "./context.ts";
import { deleteInBackground } from "./deletion.ts";
import { annotationOf, MIGRATED_TO } from "./names.ts";
import { recycleInBackground } from "./recycling.ts";

/** Reclaims a released volume by its policy. */
export async function reclaim(volume: PersistentVolume, context: BinderContext): Promise<void> {
  if (annotationOf(volume, MIGRATED_TO)) return; // its driver's provisioner does
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case "Retain":
      return;
    case "Recycle":
      return recycleInBackground(volume, context);
    case "Delete":
      return deleteInBackground(volume, context);
    default:
      await setPhase(volume, "Failed", context, {
        reason: "VolumeUnknownReclaimPolicy",
        message: "Volume has unrecognized PersistentVolumeReclaimPolicy",
      });
  }
}
