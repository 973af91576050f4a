import { joinKey, type OwnerReference, type Pod, type PodGroup, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";
import { type Claimant, indexPodsByGroup, isGroupOwner, namesOfClaims } from "../device_claims/mod.ts";

const BY_CLAIM = "resource-claim-index";
const BY_TEMPLATE = "resource-claim-template-index";
const BY_OWNER = "claim-owner-index";

/** The parts of pods that are read. */
export const FIELDS_OF_PODS = [
  "spec.nodeName",
  "spec.resourceClaims",
  "spec.schedulingGroup.podGroupName",
  "status.phase",
  "status.resourceClaimStatuses",
  "status.extendedResourceClaimStatus.resourceClaimName",
];

/** The parts of groups that are read. */
export const FIELDS_OF_GROUPS = ["spec.resourceClaims", "status.resourceClaimStatuses"];

interface Indexables {
  readonly pods: Indexable<Pod>;
  readonly groups?: Indexable<PodGroup>;
  readonly claims: Indexable<ResourceV1ResourceClaim>;
}

/** Adds the indexes by which the functions of this file look up. */
export function addIndexes({ pods, groups, claims }: Indexables): void {
  addClaimantIndexes(pods);
  if (groups) {
    addClaimantIndexes(groups);
    indexPodsByGroup(pods);
  }
  ensureIndexer(claims, BY_OWNER, (claim) => [ownerKeyOf(claim) ?? []].flat());
}

function addClaimantIndexes<T extends Claimant>(claimants: Indexable<T>): void {
  const keys = (claimant: T, names: readonly string[]) =>
    names.map((name) => joinKey(claimant.metadata?.namespace, name));
  ensureIndexer(claimants, BY_CLAIM, (claimant) => keys(claimant, namesOfClaims(claimant)));
  ensureIndexer(claimants, BY_TEMPLATE, (claimant) => keys(claimant, templatesOf(claimant)));
}

function templatesOf({ spec }: Claimant): string[] {
  const names = spec?.resourceClaims?.flatMap(({ resourceClaimTemplateName }) => resourceClaimTemplateName ?? []);
  return [...new Set(names)];
}

/** The pods or groups that a claim is known to be for. */
export function users<T extends Claimant>(claimants: Pick<Indexer<T>, "byIndex"> | undefined, claimKey: string): T[] {
  return claimants?.byIndex(BY_CLAIM, claimKey) ?? [];
}

/** The pods or groups that want claims from a template. */
export function madeBy<T extends Claimant>(
  claimants: Pick<Indexer<T>, "byIndex"> | undefined,
  templateKey: string,
): T[] {
  return claimants?.byIndex(BY_TEMPLATE, templateKey) ?? [];
}

/** The claims of an owner with the key of {@link ownKeyOf}. */
export function claimsOwnedBy(
  claims: Pick<Indexer<ResourceV1ResourceClaim>, "byIndex">,
  ownerKey: string,
): ResourceV1ResourceClaim[] {
  return claims.byIndex(BY_OWNER, ownerKey);
}

/** The key for finding the claims of a pod or group: its UID within its namespace, because anybody may name any UID. */
export function ownKeyOf({ metadata }: Claimant): string {
  return joinKey(metadata?.namespace, metadata?.uid ?? "");
}

/** The key of the pod or the group that a claim was made for, if any. */
export function ownerKeyOf({ metadata }: ResourceV1ResourceClaim): string | undefined {
  const owner = metadata?.ownerReferences?.find((owner) => owner.controller && (isPod(owner) || isGroupOwner(owner)));
  return owner && joinKey(metadata?.namespace, owner.uid);
}

/** The pod that a claim was made for, if any. */
export function owningPod({ metadata }: ResourceV1ResourceClaim): OwnerReference | undefined {
  return metadata?.ownerReferences?.find((owner) => owner.controller && isPod(owner));
}

function isPod({ apiVersion, kind }: OwnerReference): boolean {
  return apiVersion === "v1" && kind === "Pod";
}
