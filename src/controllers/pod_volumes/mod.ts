/** The claims in pods' volumes, and when pods stop using their volumes. */
export {
  CLAIM_FIELDS_OF_PODS,
  claimNamesOf,
  ephemeralClaimName,
  foreignClaimText,
  isClaimForPod,
  type PodVolume,
} from "./claims.ts";
export { indexPodsByClaim, podsNaming } from "./pod_index.ts";
export { isShutDown, isVolumeTerminated, STATE_FIELDS_OF_PODS } from "./pod_states.ts";
