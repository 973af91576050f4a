import {
  joinKey,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  Quantity,
  SelectorError,
} from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { selectorOfCached } from "../running/mod.ts";
import { volumeModeOf } from "../volumes/mod.ts";
import { accessModeSet, accessModeSetsWith } from "./access_modes.ts";
import { attributesClassOf, capacityOf, FreeVolumes } from "./free_volumes.ts";
import { PrivateCache, type PrivateCacheOptions } from "./private_cache.ts";

const RESERVED = "reserved";

/** Where {@link findVolume} searches. */
export interface Candidates {
  readonly volumes: PrivateCache<PersistentVolume>;
  /** Those of `volumes` that are. */
  readonly free: FreeVolumes;
}

/** An empty cache of volumes in which claims may find theirs. */
export function newCandidates(onChange?: PrivateCacheOptions<PersistentVolume>["onChange"]): Candidates {
  const free = new FreeVolumes();
  const volumes = new PrivateCache<PersistentVolume>({
    indexers: {
      [RESERVED]: ({ spec }) => spec?.claimRef ? [joinKey(spec.claimRef.namespace, spec.claimRef.name ?? "")] : [],
    },
    onChange: (before, after) => {
      free.changed(before, after);
      onChange?.(before, after);
    },
  });
  return { volumes, free };
}

/** Whether a volume refers to a claim, or to one of that name before there was any. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  return ref !== undefined && ref.name === metadata?.name && ref.namespace === metadata?.namespace &&
    (!ref.uid || ref.uid === metadata?.uid);
}

/**
 * Finds the volume for a claim: among those with the fewest additional access modes, the one that refers to it, or the
 * smallest free one. One step per rejected volume. Upstream: `pkg/controller/volume/persistentvolume/index.go`,
 * `k8s.io/component-helpers/storage/volume` (FindMatchingVolume).
 *
 * @param options.isDelayed Only a volume that refers to the claim is accepted: its pod must be scheduled first.
 * @throws {Error} If the claim's selector or request is malformed.
 */
export function* findVolume(
  claim: PersistentVolumeClaim,
  { volumes, free }: Candidates,
  { isDelayed }: { readonly isDelayed: boolean },
): Generator<void, PersistentVolume | undefined> {
  const request = Quantity.parse(claim.spec?.resources?.requests?.storage);
  const isSelected = selection(claim);
  const reserved = new Map<string, PersistentVolume>();
  for (const each of volumes.byIndex(RESERVED, objectKey(claim))) {
    yield;
    const modes = accessModeSet(each.spec?.accessModes);
    if (!reserved.has(modes) && isReservedFor(each, claim) && fits(each, claim, request)) reserved.set(modes, each);
  }
  for (const modes of accessModeSetsWith(claim.spec?.accessModes)) {
    const own = reserved.get(modes);
    if (own) return own;
    if (isDelayed) continue;
    for (const each of free.holding(claim, request, modes)) {
      if (isSelected(each)) return each;
      yield;
    }
  }
  return undefined;
}

function fits(volume: PersistentVolume, { spec }: PersistentVolumeClaim, request: Quantity): boolean {
  const capacity = capacityOf(volume);
  return capacity !== undefined && capacity.compare(request) >= 0 &&
    volumeModeOf(volume.spec) === volumeModeOf(spec) && attributesClassOf(volume.spec) === attributesClassOf(spec) &&
    !volume.metadata?.deletionTimestamp;
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

/**
 * Why a volume that a claim names does not fit; `undefined` if it does. The claim's selector and the volume's phase do
 * not matter, because the user chose it.
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
