/** The rules for volumes, claims and what provides them. Upstream: `pkg/apis/storage`. */
export { persistentVolumeClaims } from "./claims.ts";
export {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
} from "./classes.ts";
export { persistentVolumes } from "./volumes.ts";
