import {
  apiVersionOf,
  type ObjectReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
} from "../../api/mod.ts";
import { isReservedFor } from "./matching.ts";
import { annotated, BIND_COMPLETED, BOUND_BY_CONTROLLER, isAnnotated, marked } from "./names.ts";

/** How a volume refers to a claim. */
export function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  const { kind } = PERSISTENTVOLUMECLAIMS;
  return { kind, apiVersion: apiVersionOf(PERSISTENTVOLUMECLAIMS), namespace, name, uid, resourceVersion };
}

/** The volume as it is bound to a claim; the same object if it is already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const ref = volume.spec?.claimRef;
  const { namespace, name, uid } = claim.metadata ?? {};
  const refersToIt = ref && ref.name === name && ref.namespace === namespace && ref.uid === uid;
  const bound = refersToIt ? volume : { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  return isReservedFor(volume, claim) ? bound : marked(bound, BOUND_BY_CONTROLLER);
}

/** The claim as it is bound to a volume; the same object if it is already. */
export function boundClaim(claim: PersistentVolumeClaim, { metadata }: PersistentVolume): PersistentVolumeClaim {
  if (claim.spec?.volumeName === metadata?.name) return marked(claim, BIND_COMPLETED);
  const bound = { ...claim, spec: { ...claim.spec, volumeName: metadata?.name } };
  return marked(marked(bound, BOUND_BY_CONTROLLER), BIND_COMPLETED);
}

/** The volume without its claim; still reserved for one of that name if the user reserved it. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  if (isAnnotated(volume, BOUND_BY_CONTROLLER)) {
    const free = { ...volume, spec: { ...volume.spec, claimRef: undefined } };
    return annotated(free, { [BOUND_BY_CONTROLLER]: undefined });
  }
  return { ...volume, spec: { ...volume.spec, claimRef: { ...volume.spec?.claimRef, uid: undefined } } };
}
