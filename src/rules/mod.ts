/**
 * Rules on objects that controllers and the embedded server share: schedules, pods, templates and their hashes, quotas.
 */
export * from "./cron_schedule.ts";
export * from "./pod_defaults.ts";
export * from "./pod_resources.ts";
export * from "./pod_template.ts";
export * from "./pod_template_hash.ts";
export * from "./pods.ts";
export * from "./quota_scopes.ts";
export * from "./quota_usage.ts";
export * from "./resource_list.ts";
export { SIMULATED_STORAGE_DRIVER } from "./simulated_storage.ts";
export * from "./time_zone.ts";
export * from "./tolerations.ts";
export { encodePodTemplate } from "./typed_encoding.ts";
export { extendedClaimOwner, type ExtendedDevices } from "./quota_claims.ts";
export { podHoldsResources } from "./quota_pods.ts";
