/** Which claims the volumes of pods name, and what becomes of volumes when pods end. */
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
