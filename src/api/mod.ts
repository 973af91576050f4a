/** Kubernetes objects: types, resources, and the rules that hold for them everywhere. */
export type * from "./generated_types.ts";
export * from "./generated_resources.ts";
export * from "./conditions.ts";
export * from "./duration.ts";
export * from "./field_selector.ts";
export * from "./int_or_string.ts";
export * from "./keys.ts";
export {
  type LabelRequirement,
  labelRequirement,
  type Labels,
  requirementMatches,
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
export * from "./quantity.ts";
export { QuantityError, type QuantityFormat } from "./quantity_parse.ts";
export * from "./resource.ts";
export { resourceCalled, SHORT_NAMES } from "./resource_names.ts";
export * from "./resource_paths.ts";
export * from "./resource_version.ts";
export * from "./time.ts";
export * from "./version.ts";
export * from "./well_known.ts";
export type { QuantityParts } from "./quantity_parse.ts";
