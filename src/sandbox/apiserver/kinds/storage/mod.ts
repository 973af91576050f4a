/** Rules for volumes, claims and provisioning. Upstream: `pkg/apis/storage`. */
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
