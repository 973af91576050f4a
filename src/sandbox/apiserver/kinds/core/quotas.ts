import {
  Quantity,
  type QuantityValue,
  type ResourceQuota,
  type ScopedResourceSelectorRequirement,
} from "../../../../api/mod.ts";
import { roundAmounts } from "../../../../rules/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  type FieldErrors,
  IMMUTABLE,
  isQuotaResource,
  validateAmount,
  validateQuotaResourceName,
} from "../../validation/mod.ts";

type Spec = NonNullable<ResourceQuota["spec"]>;
type Amounts = Record<string, QuantityValue>;

const PODS = ["pods"];
const POD_AMOUNTS = [...PODS, "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

/** The resources that can be counted within a scope. */
const SCOPES: Readonly<Record<string, readonly string[] | undefined>> = {
  Terminating: POD_AMOUNTS,
  NotTerminating: POD_AMOUNTS,
  NotBestEffort: POD_AMOUNTS,
  PriorityClass: POD_AMOUNTS,
  CrossNamespacePodAffinity: POD_AMOUNTS,
  BestEffort: PODS,
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};

/** Scopes that depend on the pod alone. */
const PLAIN_SCOPES = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

function validateAmounts(amounts: Amounts | undefined, at: string, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    validateQuotaResourceName(name, `${at}[${name}]`, errors);
    validateAmount(name, amount, `${at}[${name}]`, errors);
  }
}

/** Whether one of the limits cannot be counted within `scope`. */
function isMisfit(scope: string, { hard = {} }: Spec): boolean {
  const counted = SCOPES[scope];
  return counted !== undefined && Object.keys(hard).some((name) => isQuotaResource(name) && !counted.includes(name));
}

const CONFLICTS = [["BestEffort", "NotBestEffort"], ["NotTerminating", "Terminating"]];

function validateConflicts(names: readonly string[], at: string, errors: FieldErrors): void {
  for (const pair of CONFLICTS) {
    if (pair.every((name) => names.includes(name))) errors.invalid(at, names, "conflicting scopes");
  }
}

function validateScopes(spec: Spec, errors: FieldErrors): void {
  const at = "spec.scopes";
  const { scopes = [] } = spec;
  for (const scope of scopes) {
    if (!SCOPES[scope]) errors.invalid(at, scopes, "unsupported scope");
    if (isMisfit(scope, spec)) errors.invalid(at, scopes, "unsupported scope applied to resource");
  }
  validateConflicts(scopes, at, errors);
}

function validateRequirement(
  { scopeName = "", operator = "", values = [] }: ScopedResourceSelectorRequirement,
  spec: Spec,
  at: string,
  errors: FieldErrors,
): void {
  if (!SCOPES[scopeName]) errors.invalid(`${at}.scopeName`, scopeName, "unsupported scope");
  if (isMisfit(scopeName, spec)) errors.invalid(at, spec.scopeSelector, "unsupported scope applied to resource");
  if (PLAIN_SCOPES.includes(scopeName) && operator !== "Exists") {
    errors.invalid(`${at}.operator`, operator, "must be 'Exists' for this scope");
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) errors.required(`${at}.values`, "for the operators 'In' and 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) errors.invalid(`${at}.values`, values, "must be empty for this operator");
  } else errors.invalid(`${at}.operator`, operator, "not a valid selector operator");
}

function validateQuotaSpec(spec: Spec, errors: FieldErrors): void {
  validateAmounts(spec.hard, "spec.hard", errors);
  validateScopes(spec, errors);
  if (!spec.scopeSelector) return;
  const at = "spec.scopeSelector.matchExpressions";
  const requirements = spec.scopeSelector.matchExpressions ?? [];
  for (const requirement of requirements) validateRequirement(requirement, spec, at, errors);
  validateConflicts(requirements.map(({ scopeName }) => scopeName), at, errors);
}

/** Warns about requests above the limit of the same resource. */
function quotaWarnings({ hard = {} }: Spec): string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const request = hard[`requests.${name}`] !== undefined || name.endsWith("storage") ? `requests.${name}` : name;
    const limit = `limits.${name}`;
    if (hard[request] === undefined || hard[limit] === undefined) return [];
    const [asked, allowed] = [Quantity.parse(hard[request]), Quantity.parse(hard[limit])];
    return asked.compare(allowed) > 0
      ? [`ResourceQuota ${request} (${asked}) should be less than ${limit} (${allowed})`]
      : [];
  });
}

export const resourceQuotas: Traits<ResourceQuota> = {
  answersDeleted: true,
  defaults({ spec, status }) {
    roundAmounts(spec?.hard);
    roundAmounts(status?.hard);
    roundAmounts(status?.used);
  },
  validate: ({ spec }, errors) => validateQuotaSpec(spec ?? {}, errors),
  validateUpdate({ spec }, old, errors) {
    const [now, before] = [spec?.scopes, old.spec?.scopes].map((scopes = []) => [...new Set(scopes)].sort());
    if (!deepEqual(now, before)) errors.invalid("spec.scopes", spec?.scopes ?? null, IMMUTABLE);
  },
  validateStatus({ metadata, status }, _old, errors) {
    if (!metadata.resourceVersion) errors.required("resourceVersion");
    validateAmounts(status?.hard, "status.hard", errors);
    validateAmounts(status?.used, "status.used", errors);
  },
  warnings: ({ spec }, old) => old ? [] : quotaWarnings(spec ?? {}),
};
