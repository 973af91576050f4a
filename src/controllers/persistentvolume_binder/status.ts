import { type PersistentVolume, type PersistentVolumeClaim, Quantity } from "../../api/mod.ts";
import { deepEqual } from "../../base/mod.ts";
import { annotationOf, PRE_RESIZE_CAPACITY } from "./names.ts";

/** What the status of a claim says of its volume. */
type ClaimStatus = NonNullable<PersistentVolumeClaim["status"]>;

/** The claim in a phase without a volume; the same object if it says so already. */
export function claimWithoutVolume(claim: PersistentVolumeClaim, phase: "Pending" | "Lost"): PersistentVolumeClaim {
  const { status = {} } = claim;
  const isSo = status.phase === phase && !status.accessModes && !status.capacity &&
    status.currentVolumeAttributesClassName === undefined;
  if (isSo) return claim;
  const nothing = { accessModes: undefined, capacity: undefined, currentVolumeAttributesClassName: undefined };
  return { ...claim, status: { ...status, ...nothing, phase } };
}

/**
 * The claim as bound to a volume; the same object if it says so already. Of a claim that was bound before, capacity and
 * class of attributes are not touched: they belong to whoever resizes and modifies it.
 *
 * @throws {Error} If the volume does not say how much it holds.
 */
export function claimWithVolume(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { status = {} } = claim;
  const changes: ClaimStatus = {};
  if (!deepEqual(status.accessModes, volume.spec?.accessModes)) changes.accessModes = volume.spec?.accessModes;
  if (status.phase !== "Bound") {
    changes.phase = "Bound";
    const capacity = capacityOf(status.capacity, volume);
    if (capacity) changes.capacity = capacity;
    const attributesClass = volume.spec?.volumeAttributesClassName;
    if (status.phase === "Pending" && status.currentVolumeAttributesClassName !== attributesClass) {
      changes.currentVolumeAttributesClassName = attributesClass;
    }
  }
  return Object.keys(changes).length === 0 ? claim : { ...claim, status: { ...status, ...changes } };
}

/** The capacity that the claim should show; `undefined` if it already does. */
function capacityOf(said: ClaimStatus["capacity"], volume: PersistentVolume): ClaimStatus["capacity"] {
  const { capacity } = volume.spec ?? {};
  if (capacity?.storage === undefined) {
    throw new Error(`PersistentVolume ${JSON.stringify(volume.metadata?.name)} is without a storage capacity`);
  }
  const before = annotationOf(volume, PRE_RESIZE_CAPACITY);
  if (before !== undefined) return { ...said, storage: isQuantity(before) ? before : capacity.storage };
  const isSaid = said?.storage !== undefined && Quantity.parse(said.storage).equals(Quantity.parse(capacity.storage));
  return isSaid ? undefined : capacity;
}

function isQuantity(text: string): boolean {
  try {
    Quantity.parse(text);
    // Upstream treats an empty text as absent.
    return text !== "";
  } catch {
    return false;
  }
}
