import { joinKey, type PersistentVolume, type PersistentVolumeClaim, type Pod } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { ephemeralClaimName, foreignClaimText, isClaimForPod, type PodVolume } from "../pod_volumes/mod.ts";
import { translateToCsi } from "./migration.ts";
import type { VolumeSpec } from "./volume_spec.ts";

/** Where the claims of pods and their volumes are looked up. */
export interface BoundVolumes {
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  readonly volumes: Pick<Lister<PersistentVolume>, "get">;
}

/**
 * The description of a pod's volume, translated to CSI; for a claim, that of the volume it is bound to.
 * Upstream: `pkg/controller/volume/attachdetach/util` (CreateVolumeSpec).
 *
 * @throws {Error} If the claim or its volume does not exist, they are not bound to each other, or the volume cannot be
 *   translated.
 */
export function volumeOfPod(pod: Pod, volume: PodVolume, bound: BoundVolumes): VolumeSpec {
  const namespace = pod.metadata?.namespace ?? "";
  const name = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && ephemeralClaimName(pod, volume));
  if (!name) return translateToCsi({ from: "pod", volume }, namespace);
  const claim = boundClaim(namespace, name, bound);
  if (volume.ephemeral && !isClaimForPod(claim, pod)) throw new Error(foreignClaimText(claim, pod));
  const persistentVolume = volumeOf(claim, bound);
  const readOnly = volume.persistentVolumeClaim?.readOnly ?? false;
  try {
    return translateToCsi({ from: "volume", persistentVolume, readOnly }, namespace);
  } catch (error) {
    const what = `error performing CSI migration checks and translation for PVC "${namespace}"/"${name}"`;
    throw new Error(`${what}: ${errorText(error)}`, { cause: error });
  }
}

function boundClaim(namespace: string, name: string, { claims }: BoundVolumes): PersistentVolumeClaim {
  const claim = claims.get(namespace, name);
  const fail = (why: string) => new Error(`error processing PVC "${namespace}"/"${name}": ${why}`);
  const key = joinKey(namespace, name);
  if (!claim) throw fail(`failed to find PVC ${key} in PVCInformer cache`);
  const { phase = "" } = claim.status ?? {};
  const { volumeName = "" } = claim.spec ?? {};
  if (phase !== "Bound" || volumeName === "") {
    throw fail(`PVC ${key} has non-bound phase ("${phase}") or empty pvc.Spec.VolumeName ("${volumeName}")`);
  }
  return claim;
}

function volumeOf({ metadata, spec }: PersistentVolumeClaim, { volumes }: BoundVolumes): PersistentVolume {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  const fail = (why: string) => new Error(`error processing PVC "${namespace}"/"${name}": ${why}`);
  const { volumeName = "" } = spec ?? {};
  const volume = volumes.get(undefined, volumeName);
  if (!volume) throw fail(`failed to find PV "${volumeName}" in PVInformer cache`);
  const { claimRef } = volume.spec ?? {};
  if (!claimRef) {
    throw fail(
      `found PV object "${volumeName}" but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
  }
  if (claimRef.uid === uid) return volume;
  const isFor = `its pv.Spec.ClaimRef.UID ("${claimRef.uid ?? ""}") does not point to claim.UID ("${uid}")`;
  throw fail(`found PV object "${volumeName}" but ${isFor}`);
}
