/** Which ResourceClaims pods mean, and whose they are. */
export { type ClaimName, claimNames, namelessText, namesOfClaims } from "./claim_names.ts";
export {
  foreignClaimText,
  GROUP_CLAIMS_GATE,
  type GroupsCount,
  indexPodsByGroup,
  isClaimForPod,
  isGroupReference,
  isPodReference,
  isReservedForPod,
  podsOfGroup,
} from "./users.ts";
