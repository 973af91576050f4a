/** Validation rules that kinds share, and the errors they collect. */
export * from "./addresses.ts";
export { changedPaths } from "./changed_paths.ts";
export { typedReference, validateDomain, validateDomainPath, validateQualifiedDomain } from "./domains.ts";
export { fields, valuesOf } from "./fields.ts";
export { FieldErrors, goJson, quote } from "./field_errors.ts";
export * from "./formats.ts";
export * from "./labels.ts";
export * from "./metadata.ts";
export { problemOf } from "./problem_of.ts";
export * from "./quantities.ts";
export * from "./rules.ts";
