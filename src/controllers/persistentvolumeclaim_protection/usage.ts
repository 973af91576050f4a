import { type PersistentVolumeClaim, type Pod } from "../../api/mod.ts";
import {
  CLAIM_FIELDS_OF_PODS,
  ephemeralClaimName,
  isClaimForPod,
  isShutDown,
  isVolumeTerminated,
  STATE_FIELDS_OF_PODS,
} from "../pod_volumes/mod.ts";

/** The parts of pods that are read. */
export const FIELDS_OF_PODS = ["spec.nodeName", ...CLAIM_FIELDS_OF_PODS, ...STATE_FIELDS_OF_PODS];

/** Whether a pod uses a claim, in one sense or another. */
export type Uses = (pod: Pod, claim: PersistentVolumeClaim) => boolean;

/**
 * Whether a pod, which may have ended, keeps a claim. A pod without a node does not count: no kubelet starts one whose
 * claim is being deleted. Upstream: podUsesPVCForDeletion.
 */
export const holds: Uses = (pod, claim) =>
  Boolean(pod.spec?.nodeName) && (names(pod, claim) || !isShutDown(pod) && hasMade(pod, claim));

/** Whether a pod that may still run refers to a claim, even without a node. Upstream: podUsesPVCForUnusedSince. */
export const refersTo: Uses = (pod, claim) => !isVolumeTerminated(pod) && (names(pod, claim) || hasMade(pod, claim));

function names({ spec }: Pod, { metadata }: PersistentVolumeClaim): boolean {
  return spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === metadata?.name) ??
    false;
}

/** Whether the claim is that of one of the pod's ephemeral volumes. */
function hasMade(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!isClaimForPod(claim, pod)) return false;
  return pod.spec?.volumes?.some((volume) =>
    volume.ephemeral !== undefined && ephemeralClaimName(pod, volume) === claim.metadata?.name
  ) ?? false;
}
