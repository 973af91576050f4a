/** Validation rules that kinds share, and the errors they collect. */
export * from "./addresses.ts";
export { changedPaths } from "./changed_paths.ts";
export { typedReference, validateDomain, validateDomainPath, validateQualifiedDomain } from "./domains.ts";
export { fields, valuesOf } from "./fields.ts";
export { FieldErrors, goJson, quote } from "./field_errors.ts";
export {
  accountId,
  byteLength,
  configMapKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  dnsSubdomainWithUnderscore,
  environmentName,
  type Format,
  httpHeaderName,
  labelValue,
  notBetween,
  pathSegment,
  portName,
  portNumber,
  qualifiedName,
  wildcardSubdomain,
} from "./formats.ts";
export * from "./labels.ts";
export * from "./metadata.ts";
export { problemOf } from "./problem_of.ts";
export * from "./quantities.ts";
export * from "./rules.ts";
