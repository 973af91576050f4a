/** Kubernetes objects: types, resources, and the rules that hold for them everywhere. */
export type * from "./generated_types.ts";
export * from "./generated_resources.ts";
export * from "./activity.ts";
export * from "./canonical_json.ts";
export * from "./conditions.ts";
export * from "./cron_schedule.ts";
export * from "./duration.ts";
export * from "./field_selector.ts";
export * from "./fnv.ts";
export * from "./gang_scheduling.ts";
export * from "./go_integer.ts";
export * from "./int_or_string.ts";
export * from "./keys.ts";
export {
  type LabelRequirement,
  labelRequirement,
  type Labels,
  SelectorError,
  type SelectorOperator,
} from "./label_requirement.ts";
export * from "./label_selector.ts";
export * from "./label_selector_text.ts";
export * from "./name_rules.ts";
export * from "./names.ts";
export { matchesNodeAffinity, matchesNodeSelector, matchesTerm, namedNodes } from "./node_selector.ts";
export * from "./openapi_schemas.ts";
export * from "./owners.ts";
export * from "./pod_defaults.ts";
export * from "./pod_resources.ts";
export * from "./pod_template.ts";
export * from "./pod_template_hash.ts";
export * from "./pods.ts";
export * from "./quantity.ts";
export { QuantityError, type QuantityFormat } from "./quantity_parse.ts";
export { extendedClaimOwner, type ExtendedDevices } from "./quota_claims.ts";
export { podHoldsResources } from "./quota_pods.ts";
export * from "./quota_scopes.ts";
export * from "./quota_usage.ts";
export * from "./resource.ts";
export * from "./resource_list.ts";
export { resourceCalled, SHORT_NAMES } from "./resource_names.ts";
export * from "./resource_version.ts";
export * from "./resources.ts";
export * from "./text.ts";
export * from "./time.ts";
export * from "./time_zone.ts";
export * from "./tolerations.ts";
export { encodePodTemplate } from "./typed_encoding.ts";
export * from "./well_known.ts";
