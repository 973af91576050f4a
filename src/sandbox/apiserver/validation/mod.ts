/** Validation rules that kinds share, and the errors they collect. */
export {
  familyOf,
  isDualStack,
  isMapped,
  networkOf,
  parseAddress,
  parseRange,
  unmapped,
  validateAddress,
  validateCanonicalAddress,
  validateCanonicalRange,
  validateRange,
  validateReachable,
} from "./addresses.ts";
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
export {
  isEmptySelector,
  validateAnnotations,
  validateConditions,
  validateLabels,
  validateLabelSelector,
  validateOperator,
} from "./labels.ts";
export {
  type MetadataRules,
  PLAIN_FINALIZERS,
  validateAnyMetadata,
  validateFinalizerIsKnown,
  validateMetadata,
  validateMetadataUpdate,
} from "./metadata.ts";
export { problemOf } from "./problem_of.ts";
export {
  isHugePages,
  isNative,
  isOvercommittable,
  isQuotaResource,
  validateAmount,
  validateBasicAmount,
  validateContainerResourceName,
  validatePodResourceName,
  validatePositiveAmount,
  validateQuotaResourceName,
  validateResourceName,
} from "./quantities.ts";
export {
  all,
  amountOf,
  atMost,
  atMostHundredPercent,
  type Check,
  countOrPercent,
  each,
  formatted,
  IMMUTABLE,
  nonNegative,
  nonNegatives,
  oneOf,
  portOrName,
  positive,
  required,
  unchanged,
  unique,
  validPort,
} from "./rules.ts";
