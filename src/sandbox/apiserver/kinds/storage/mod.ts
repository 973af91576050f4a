/** Rules for volumes, claims and provisioning. Upstream: `pkg/apis/storage`. */
export { persistentVolumeClaims } from "./claims.ts";
export * from "./classes.ts";
export { persistentVolumes } from "./volumes.ts";
