import {
  matchesNodeSelector,
  type PersistentVolume,
  type PersistentVolumeClaim,
  Quantity,
  selectorOf,
} from "../../api/mod.ts";
import type { NodeInfo } from "./node_info.ts";
import { selectorOrNothing } from "./pod_info.ts";

/** Volumes by the names of their claims. */
export type StaticVolumes = ReadonlyMap<string, PersistentVolume>;

/**
 * The existing volumes that a claim may be bound to: those that refer to it first, then the smallest. Upstream:
 * `k8s.io/component-helpers/storage/volume` (FindMatchingVolume).
 *
 * @param volumes The volumes of the claim's class.
 */
export function candidatesFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly PersistentVolume[] {
  const { accessModes = [], volumeMode = "Filesystem", selector, resources } = claim.spec ?? {};
  const request = Quantity.parse(resources?.requests?.storage);
  const isSelected = selector && selectorOrNothing(() => selectorOf(selector));
  const fits = ({ metadata, spec, status }: PersistentVolume) =>
    !metadata?.deletionTimestamp && (spec?.volumeMode ?? "Filesystem") === volumeMode &&
    sizeOf(spec).compare(request) >= 0 && accessModes.every((mode) => spec?.accessModes?.includes(mode)) &&
    (spec?.claimRef ? names(spec.claimRef, claim) : status?.phase === "Available") &&
    (!isSelected || isSelected.matches(metadata?.labels));
  return volumes.filter(fits).sort((a, b) =>
    Number(Boolean(b.spec?.claimRef)) - Number(Boolean(a.spec?.claimRef)) || sizeOf(a.spec).compare(sizeOf(b.spec))
  );
}

/** Assigns existing volumes on a node to claims, the smallest claim first. */
export function staticVolumesOn(
  node: NodeInfo,
  claims: readonly (readonly [claim: PersistentVolumeClaim, candidates: readonly PersistentVolume[]])[],
): StaticVolumes {
  const taken = new Map<string, PersistentVolume>();
  const used = new Set<PersistentVolume>();
  for (const [{ metadata }, candidates] of claims) {
    const volume = candidates.find((each) => !used.has(each) && isReachable(each, node));
    if (!volume) continue;
    used.add(volume);
    taken.set(metadata?.name ?? "", volume);
  }
  return taken;
}

export function isReachable({ spec }: PersistentVolume, { node }: NodeInfo): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || (node !== undefined && matchesNodeSelector(required, node));
}

function sizeOf(spec: PersistentVolume["spec"]): Quantity {
  return Quantity.parse(spec?.capacity?.storage);
}

function names(
  ref: NonNullable<NonNullable<PersistentVolume["spec"]>["claimRef"]>,
  { metadata }: PersistentVolumeClaim,
): boolean {
  return ref.name === metadata?.name && ref.namespace === metadata?.namespace &&
    (!ref.uid || ref.uid === metadata?.uid);
}
