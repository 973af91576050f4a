import {
  joinKey,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  Quantity,
  SelectorError,
} from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import type { Indexers } from "../../cache/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { selectorOfCached } from "../running/mod.ts";
import { volumeModeOf } from "../volumes/mod.ts";
import { accessModeSet, accessModeSetsWith } from "./access_modes.ts";
import type { PrivateCache } from "./private_cache.ts";

const FREE = "free";
const RESERVED = "reserved";

/** Volumes that refer to no claim, by what must be equal; the others by the claim they refer to. */
export const VOLUME_INDEXERS: Indexers<PersistentVolume> = {
  [FREE]: (volume) =>
    volume.spec?.claimRef ? [] : [freeKey(accessModeSet(volume.spec?.accessModes), storageClassOf(volume))],
  [RESERVED]: ({ spec }) => spec?.claimRef ? [joinKey(spec.claimRef.namespace, spec.claimRef.name ?? "")] : [],
};

function freeKey(modes: string, className: string): string {
  return `${modes}/${className}`;
}

/** Whether a volume refers to a claim, or to one of that name before there was any. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  return ref !== undefined && ref.name === metadata?.name && ref.namespace === metadata?.namespace &&
    (!ref.uid || ref.uid === metadata?.uid);
}

/**
 * The volume that a claim is to be bound to: of those with the fewest access modes besides its own, the one that refers to it, or
 * the smallest that is free.
 * Upstream: `pkg/controller/volume/persistentvolume/index.go`, `k8s.io/component-helpers/storage/volume` (FindMatchingVolume).
 *
 * @param options.isDelayed Only a volume that refers to the claim will do: its pod is to be scheduled first.
 * @throws {Error} If selector or request of the claim cannot be read.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Pick<PrivateCache<PersistentVolume>, "byIndex">,
  { isDelayed }: { readonly isDelayed: boolean },
): PersistentVolume | undefined {
  const fits = fitting(claim);
  const isSelected = selection(claim);
  const reserved = volumes.byIndex(RESERVED, objectKey(claim)).filter((each) => isReservedFor(each, claim));
  for (const modes of accessModeSetsWith(claim.spec?.accessModes)) {
    const own = reserved.find((each) => accessModeSet(each.spec?.accessModes) === modes && fits(each));
    if (own) return own;
    if (isDelayed) continue;
    const free = volumes.byIndex(FREE, freeKey(modes, storageClassOf(claim)));
    const found = smallest(free.filter((each) => each.status?.phase === "Available" && fits(each) && isSelected(each)));
    if (found) return found;
  }
  return undefined;
}

function fitting({ spec }: PersistentVolumeClaim): (volume: PersistentVolume) => boolean {
  const request = Quantity.parse(spec?.resources?.requests?.storage);
  return (volume) => {
    const capacity = capacityOf(volume);
    return capacity !== undefined && capacity.compare(request) >= 0 &&
      volumeModeOf(volume.spec) === volumeModeOf(spec) && attributesClassOf(volume.spec) === attributesClassOf(spec) &&
      !volume.metadata?.deletionTimestamp;
  };
}

function selection(claim: PersistentVolumeClaim): (volume: PersistentVolume) => boolean {
  if (!claim.spec?.selector) return () => true;
  try {
    const selector = selectorOfCached(claim.spec.selector);
    return ({ metadata }) => selector.matches(metadata?.labels);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const why = `error creating internal label selector for claim: ${objectKey(claim)}: ${errorText(error)}`;
    throw new Error(why, { cause: error });
  }
}

/** How much a volume holds; `undefined` if what it says is no quantity. */
function capacityOf({ spec }: PersistentVolume): Quantity | undefined {
  try {
    return Quantity.parse(spec?.capacity?.storage);
  } catch {
    return undefined;
  }
}

function attributesClassOf(spec: { readonly volumeAttributesClassName?: string } | undefined): string {
  return spec?.volumeAttributesClassName ?? "";
}

function smallest(volumes: readonly PersistentVolume[]): PersistentVolume | undefined {
  let found: { readonly volume: PersistentVolume; readonly capacity: Quantity } | undefined;
  for (const volume of volumes) {
    const capacity = capacityOf(volume);
    if (capacity && (!found || capacity.compare(found.capacity) < 0)) found = { volume, capacity };
  }
  return found?.volume;
}

/**
 * Why a volume that a claim names cannot be its; `undefined` if it can. What the claim selects, and what phase the volume is in, do
 * not matter: the user has chosen.
 */
export function mismatchOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { spec } = claim;
  if (volume.metadata?.deletionTimestamp) {
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  }
  const capacity = capacityOf(volume);
  const request = Quantity.parse(spec?.resources?.requests?.storage);
  if (!capacity || capacity.roundedUp() < request.roundedUp()) return "requested PV is too small";
  if (storageClassOf(volume) !== storageClassOf(claim)) return "storageClassName does not match";
  if (attributesClassOf(volume.spec) !== attributesClassOf(spec)) return "volumeAttributesClassName does not match";
  if (volumeModeOf(volume.spec) !== volumeModeOf(spec)) return "incompatible volumeMode";
  const offered = volume.spec?.accessModes ?? [];
  return spec?.accessModes?.every((mode) => offered.includes(mode)) === false ? "incompatible accessMode" : undefined;
}
