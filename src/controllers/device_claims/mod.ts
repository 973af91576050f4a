/** Which ResourceClaims pods mean, and whose they are. */
export { type Claimant, type ClaimName, claimNames, namesOfClaims } from "./claim_names.ts";
export {
  foreignClaimText,
  GROUP_CLAIMS_GATE,
  groupKeyOf,
  type GroupsCount,
  indexPodsByGroup,
  isClaimFor,
  isGroupOwner,
  isGroupReference,
  isPodReference,
  isReservedForPod,
  podsOfGroup,
} from "./users.ts";
