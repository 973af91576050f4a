import {
  apiVersionOf,
  type KubeObject,
  newControllerRef,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  type Resource,
  type StatefulSet,
  STATEFULSETS,
} from "../../api/mod.ts";
import { ordinalOf } from "./identity.ts";
import { isInRange } from "./ordinals.ts";

/** The set and the pod that may own a claim, so that the claim goes with one of them. */
export interface ClaimOwners {
  readonly set: StatefulSet;
  /** Without a uid if it has yet to be created. */
  readonly pod: Pod;
}

/** Who should own a claim. */
interface Ownership {
  readonly bySet: boolean;
  readonly byPod: boolean;
}

/** Whether claims should outlive both their pod and the set. */
function retainsAll({ spec }: StatefulSet): boolean {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return whenDeleted === "Retain" && whenScaled === "Retain";
}

/** Whether claims are deleted along with pods that are scaled down. */
export function deletesWhenScaled({ spec }: StatefulSet): boolean {
  return (spec?.persistentVolumeClaimRetentionPolicy?.whenScaled ?? "Retain") !== "Retain";
}

/** Who should own the pod's claims under the set's policy; an unknown policy retains them. */
function wantedOwnership({ set, pod }: ClaimOwners): Ownership {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const isKnown = [whenDeleted, whenScaled].every((policy) => policy === "Retain" || policy === "Delete");
  if (!isKnown) return { bySet: false, byPod: false };
  const goesWithPod = whenScaled === "Delete";
  const isCondemned = !isInRange(set, ordinalOf(pod));
  return {
    bySet: whenDeleted === "Delete" && !(goesWithPod && isCondemned),
    byPod: goesWithPod && isCondemned,
  };
}

/**
 * Whether the claim has an owner that rules the policy out: another controller, or a deleted set or pod of the same
 * name. Such a claim gets no new owner.
 */
export function hasConflict(claim: PersistentVolumeClaim, owners: ClaimOwners): boolean {
  if (retainsAll(owners.set)) return false;
  return references(claim).some((reference) => {
    const named = namedOwner(reference, owners);
    return named ? reference.uid !== named.metadata?.uid : reference.controller === true;
  });
}

/**
 * Whether the claim's owners match the policy, or must not be touched.
 * Upstream: isClaimOwnerUpToDate of `pkg/controller/statefulset`.
 */
export function ownersMatch(claim: PersistentVolumeClaim, owners: ClaimOwners): boolean {
  const { set, pod } = owners;
  if (isStale(claim, set, STATEFULSETS) || isStale(claim, pod, PODS)) return true;
  const [bySet, byPod] = [isOwner(claim, set), isOwner(claim, pod)];
  if (hasConflict(claim, owners)) return !bySet && !byPod;
  const ours = references(claim).filter(({ uid }) => uid === set.metadata?.uid || uid === pod.metadata?.uid);
  if (ours.some(({ controller }) => controller !== true)) return false;
  const wanted = wantedOwnership(owners);
  return bySet === wanted.bySet && byPod === wanted.byPod;
}

/** The claim with the owners that the policy calls for. Upstream: updateClaimOwnerRefForSetAndPod. */
export function withOwners(claim: PersistentVolumeClaim, owners: ClaimOwners): PersistentVolumeClaim {
  const others = references(claim).filter((reference) => !namedOwner(reference, owners));
  const wanted = hasConflict(claim, owners) ? undefined : wantedOwnership(owners);
  const added = [
    ...wanted?.bySet ? [newControllerRef(owners.set, STATEFULSETS)] : [],
    ...wanted?.byPod ? [newControllerRef(owners.pod, PODS)] : [],
  ].filter(({ uid }) => others.every((other) => other.uid !== uid));
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: [...others, ...added] } };
}

/** Whether a reference is to a deleted pod of this name; the first reference with the name decides. */
export function isStaleForPod(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return isStale(claim, pod, PODS);
}

function isStale(claim: PersistentVolumeClaim, owner: KubeObject, resource: Resource): boolean {
  const first = references(claim).find((reference) => isNamed(reference, owner, resource));
  return first !== undefined && first.uid !== (owner.metadata?.uid ?? "");
}

function isOwner(claim: PersistentVolumeClaim, { metadata }: KubeObject): boolean {
  return references(claim).some(({ uid }) => uid === metadata?.uid);
}

/** The set or the pod, if the reference has its kind and name. */
function namedOwner(reference: OwnerReference, { set, pod }: ClaimOwners): KubeObject | undefined {
  if (isNamed(reference, set, STATEFULSETS)) return set;
  return isNamed(reference, pod, PODS) ? pod : undefined;
}

function isNamed({ apiVersion, kind, name }: OwnerReference, owner: KubeObject, resource: Resource): boolean {
  return apiVersion === apiVersionOf(resource) && kind === resource.kind && name === owner.metadata?.name;
}

function references({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] {
  return metadata?.ownerReferences ?? [];
}
