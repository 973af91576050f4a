import { type PersistentVolume, type PersistentVolumeClaim, Quantity } from "../../api/mod.ts";

/** The annotation of a volume with its claim's size before a resize that the node still has to finish. */
export const SIZE_BEFORE = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** The size that a claim requests. */
export function requestedSize({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(spec?.resources?.requests?.storage);
}

/** The size in a claim's status. */
export function claimedSize({ status }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(status?.capacity?.storage);
}

/** The target size of the current or last resize. */
export function allocatedSize({ status }: PersistentVolumeClaim): Quantity | undefined {
  const storage = status?.allocatedResources?.storage;
  return storage === undefined ? undefined : Quantity.parse(storage);
}

export function volumeSize({ spec }: PersistentVolume): Quantity {
  return Quantity.parse(spec?.capacity?.storage);
}
