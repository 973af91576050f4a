import { type PersistentVolume, type PersistentVolumeClaim, Quantity } from "../../api/mod.ts";

/** Annotation of a volume: how large its claim was before a resize of which the node's part is still to be done. */
export const SIZE_BEFORE = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** How much a claim asks for. */
export function requestedSize({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(spec?.resources?.requests?.storage);
}

/** How much a claim is said to have. */
export function claimedSize({ status }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(status?.capacity?.storage);
}

/** How large the resize under way, or the last one, is to make it. */
export function allocatedSize({ status }: PersistentVolumeClaim): Quantity | undefined {
  const storage = status?.allocatedResources?.storage;
  return storage === undefined ? undefined : Quantity.parse(storage);
}

export function volumeSize({ spec }: PersistentVolume): Quantity {
  return Quantity.parse(spec?.capacity?.storage);
}
