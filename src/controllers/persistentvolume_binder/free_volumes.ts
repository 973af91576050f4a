import { objectKey, type PersistentVolume, type PersistentVolumeClaim, Quantity } from "../../api/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { volumeModeOf } from "../volumes/mod.ts";
import { accessModeSet } from "./access_modes.ts";

/** Volumes that hold the same. */
interface Shelf {
  readonly capacity: Quantity;
  /** By key. */
  readonly volumes: Map<string, PersistentVolume>;
}

/**
 * The volumes that any claim may have, in the order in which claims take them.
 *
 * Contract:
 * 1. A volume is free if it is Available, refers to no claim, is not being deleted, and says how much it holds.
 * 2. A claim is given those with its class, volume mode and attributes class that have exactly the access modes asked
 *    for and hold what it requests, the smallest first.
 * 3. Volumes may come and go between two that are given: one that has gone by then is not given, and one that was
 *    merely rewritten is not given twice.
 *
 * Upstream: `pkg/controller/volume/persistentvolume/index.go`, which looks through all volumes of a set of modes.
 */
export class FreeVolumes {
  /** By what must be equal; the smallest first. */
  readonly #shelves = new Map<string, Shelf[]>();

  /** Notes what has become of a volume. */
  changed(before: PersistentVolume | undefined, after: PersistentVolume | undefined): void {
    if (before && after && this.#replaced(before, after)) return;
    if (before) this.#take(before);
    if (after) this.#put(after);
  }

  /** @param modes As {@link accessModeSet} calls them. */
  *holding(claim: PersistentVolumeClaim, request: Quantity, modes: string): Generator<PersistentVolume, void> {
    const key = groupKey(claim, modes);
    let at = placeOf(this.#shelves.get(key) ?? [], request);
    for (let shelf: Shelf | undefined; (shelf = this.#shelves.get(key)?.[at]);) {
      yield* shelf.volumes.values();
      const shelves = this.#shelves.get(key) ?? [];
      at = placeOf(shelves, shelf.capacity);
      if (shelves[at] === shelf) at++;
    }
  }

  /** Whether `after` has taken the place of `before`: it is as free, and as large. */
  #replaced(before: PersistentVolume, after: PersistentVolume): boolean {
    const capacity = freeCapacityOf(after);
    const key = keyOf(after);
    if (!capacity || key !== keyOf(before) || freeCapacityOf(before)?.compare(capacity) !== 0) return false;
    const shelves = this.#shelves.get(key) ?? [];
    const { volumes } = shelves[placeOf(shelves, capacity)] ?? {};
    const name = objectKey(after);
    if (!volumes?.has(name)) return false;
    volumes.set(name, after);
    return true;
  }

  #put(volume: PersistentVolume): void {
    const capacity = freeCapacityOf(volume);
    if (!capacity) return;
    const key = keyOf(volume);
    const shelves = this.#shelves.get(key) ?? [];
    this.#shelves.set(key, shelves);
    const at = placeOf(shelves, capacity);
    if (shelves[at]?.capacity.compare(capacity) !== 0) shelves.splice(at, 0, { capacity, volumes: new Map() });
    shelves[at].volumes.set(objectKey(volume), volume);
  }

  #take(volume: PersistentVolume): void {
    const capacity = freeCapacityOf(volume);
    if (!capacity) return;
    const key = keyOf(volume);
    const shelves = this.#shelves.get(key) ?? [];
    const at = placeOf(shelves, capacity);
    shelves[at]?.volumes.delete(objectKey(volume));
    if (shelves[at]?.volumes.size === 0) shelves.splice(at, 1);
    if (shelves.length === 0) this.#shelves.delete(key);
  }
}

/** Index of the first shelf whose volumes hold this much. */
function placeOf(shelves: readonly Shelf[], capacity: Quantity): number {
  let low = 0;
  let high = shelves.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (shelves[middle].capacity.compare(capacity) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyOf(volume: PersistentVolume): string {
  return groupKey(volume, accessModeSet(volume.spec?.accessModes));
}

function groupKey(object: PersistentVolume | PersistentVolumeClaim, modes: string): string {
  return JSON.stringify([modes, storageClassOf(object), volumeModeOf(object.spec), attributesClassOf(object.spec)]);
}

function freeCapacityOf(volume: PersistentVolume): Quantity | undefined {
  const { metadata, spec, status } = volume;
  const isFree = !spec?.claimRef && status?.phase === "Available" && !metadata?.deletionTimestamp;
  return isFree ? capacityOf(volume) : undefined;
}

/** How much a volume holds; `undefined` if that is not a quantity. */
export function capacityOf({ spec }: PersistentVolume): Quantity | undefined {
  try {
    return Quantity.parse(spec?.capacity?.storage);
  } catch {
    return undefined;
  }
}

/** The class of attributes that a volume has, or a claim wants; empty without one. */
export function attributesClassOf(spec: { readonly volumeAttributesClassName?: string } | undefined): string {
  return spec?.volumeAttributesClassName ?? "";
}
