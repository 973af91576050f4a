import {
  controllerOf,
  isControlledBy,
  joinKey,
  objectKey,
  type OwnerReference,
  type Pod,
  type ResourceV1ResourceClaim,
} from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";
import type { Claimant } from "./claim_names.ts";

/** The feature gate with which pods of a group share the claims of the group. */
export const GROUP_CLAIMS_GATE = "DRAWorkloadResourceClaims";

/** The API group of PodGroups. */
const SCHEDULING = "scheduling.k8s.io";

const BY_GROUP = "podGroupPerPod";

type Consumer = NonNullable<NonNullable<ResourceV1ResourceClaim["status"]>["reservedFor"]>[number];

/** Whether groups of pods also count: whether the gate {@link GROUP_CLAIMS_GATE} is on. */
export interface GroupsCount {
  readonly withGroups: boolean;
}

/** Whether a reservation is a pod's. */
export function isPodReference({ apiGroup, resource }: Consumer): boolean {
  return !apiGroup && resource === "pods";
}

/** Whether a reservation is a group's. */
export function isGroupReference({ apiGroup, resource }: Consumer): boolean {
  return apiGroup === SCHEDULING && resource === "podgroups";
}

/**
 * Whether a claim that was made from a template was made for this pod or group, or for the pod's group where groups
 * count. Upstream: `k8s.io/dynamic-resource-allocation/resourceclaim` (IsForPod, IsForPodGroup).
 */
export function isClaimFor(
  claim: ResourceV1ResourceClaim,
  claimant: Claimant,
  { withGroups }: GroupsCount,
): boolean {
  if (claim.metadata?.namespace !== claimant.metadata?.namespace) return false;
  return isControlledBy(claim, claimant) || withGroups && isForGroupOf(claim, claimant);
}

/** The message about a claim in a status that was not generated for the claimant. */
export function foreignClaimText(claim: ResourceV1ResourceClaim, claimant: Claimant, word: string): string {
  return `ResourceClaim ${objectKey(claim)} was not created for ${word} ${objectKey(claimant)}, which is not its owner`;
}

function isForGroupOf(claim: ResourceV1ResourceClaim, { spec }: Claimant): boolean {
  const group = spec?.schedulingGroup?.podGroupName;
  const controller = controllerOf(claim);
  return controller !== undefined && controller.name === group && isGroupOwner(controller);
}

/** Whether an owner is a group, of whatever version. */
export function isGroupOwner({ apiVersion, kind }: OwnerReference): boolean {
  return kind === "PodGroup" && apiVersion.startsWith(`${SCHEDULING}/`);
}

/**
 * Whether a pod may use the devices of a claim, by itself or as one of a group.
 * Upstream: `k8s.io/dynamic-resource-allocation/resourceclaim` (IsReservedForPod).
 */
export function isReservedForPod(
  { status }: ResourceV1ResourceClaim,
  { metadata, spec }: Pod,
  { withGroups }: GroupsCount,
): boolean {
  const group = spec?.schedulingGroup?.podGroupName;
  return status?.reservedFor?.some((consumer) =>
    consumer.uid === metadata?.uid ||
    withGroups && group !== undefined && isGroupReference(consumer) && consumer.name === group
  ) ?? false;
}

/** The key of the group that a pod is scheduled with, if there is one. */
export function groupKeyOf({ metadata, spec }: Claimant): string | undefined {
  const name = spec?.schedulingGroup?.podGroupName;
  return name === undefined ? undefined : joinKey(metadata?.namespace, name);
}

/** Indexes pods by the group that they are scheduled with. */
export function indexPodsByGroup(pods: Indexable<Pod>): void {
  ensureIndexer(pods, BY_GROUP, (pod) => {
    const group = groupKeyOf(pod);
    return group === undefined ? [] : [group];
  });
}

/** The pods of a group, by the index of {@link indexPodsByGroup}. */
export function podsOfGroup(pods: Pick<Indexer<Pod>, "byIndex">, groupKey: string): Pod[] {
  return pods.byIndex(BY_GROUP, groupKey);
}
