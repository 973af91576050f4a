import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  isConditionTrue,
  type ObjectMeta,
} from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { structuralOf } from "../custom/mod.ts";
import { dns1035Label, dnsSubdomain, type FieldErrors } from "../validation/mod.ts";
import { validateConversion } from "./conversion_rules.ts";
import { requireNames, validateNames } from "./name_rules.ts";
import { validateVersionSchema } from "./schema_rules.ts";
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from "./version_rules.ts";

const APPROVAL = "api-approved.kubernetes.io";
const COMMUNITY_GROUP = /(^|\.)(k8s|kubernetes)\.io$/;

/**
 * Validates a definition. Upstream: `apis/apiextensions/validation/validation.go`.
 *
 * @param old The definition that is replaced; `undefined` for a create.
 */
export function validateDefinition(
  definition: CustomResourceDefinition,
  errors: FieldErrors,
  old?: CustomResourceDefinition,
): void {
  const { metadata, spec, status } = definition;
  if (!old) validateName(metadata ?? {}, `${spec.names.plural}.${spec.group}`, errors);
  validateSpec(spec, errors);
  if (old) validateImmutable(definition, old, errors);
  if (status?.acceptedNames) validateNames(status.acceptedNames, "status.acceptedNames", errors);
  validateStoredVersions(definition, errors);
  validateApproval(definition, errors, old);
  if (spec.preserveUnknownFields && !old?.spec.preserveUnknownFields) {
    errors.invalid("spec.preserveUnknownFields", true, "use x-kubernetes-preserve-unknown-fields in schemas instead");
  }
}

function validateName({ name, generateName }: ObjectMeta, wanted: string, errors: FieldErrors): void {
  const why = 'must be spec.names.plural+"."+spec.group';
  if (generateName && generateName !== wanted) errors.invalid("metadata.generateName", generateName, why);
  if (name !== wanted) errors.invalid("metadata.name", name, why);
}

/** A part of a version. Upstream stores it once if all versions have the same one, and causes name it there. */
interface Part {
  readonly field: "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";
  readonly sharedAt: string;
  check(version: CustomResourceDefinitionVersion, at: string, errors: FieldErrors, circumstances: Circumstances): void;
}

interface Circumstances {
  /** Whether the version, or any that shares the part with it, has a status subresource. */
  readonly hasStatus: boolean;
  /** Whether the schema is where this part is: shared or in the version. */
  readonly isBesideSchema: boolean;
}

const PARTS: readonly Part[] = [
  {
    field: "schema",
    sharedAt: "spec.validation",
    check({ schema }, at, errors, { hasStatus }) {
      if (schema?.openAPIV3Schema) validateVersionSchema(schema.openAPIV3Schema, at, { hasStatus, errors });
    },
  },
  {
    field: "subresources",
    sharedAt: "spec.subresources",
    check: ({ subresources }, at, errors) => subresources && validateSubresources(subresources, at, errors),
  },
  {
    field: "additionalPrinterColumns",
    sharedAt: "spec.additionalPrinterColumns",
    check: ({ additionalPrinterColumns: columns }, at, errors) => columns && validateColumns(columns, at, errors),
  },
  {
    field: "selectableFields",
    sharedAt: "spec.selectableFields",
    check({ selectableFields, schema }, at, errors, { isBesideSchema }) {
      if (!selectableFields) return;
      // Upstream looks for the schema in a place that it has moved it out of.
      if (!isBesideSchema || !schema?.openAPIV3Schema) errors.invalid(at, "", "needs a schema beside it");
      else validateSelectableFields(selectableFields, schema.openAPIV3Schema, at, errors);
    },
  },
];

function validateParts(versions: readonly CustomResourceDefinitionVersion[], errors: FieldErrors): void {
  const isShared = (field: Part["field"]) => versions.every((version) => deepEqual(version[field], versions[0][field]));
  const hasStatus = ({ subresources }: CustomResourceDefinitionVersion) => subresources?.status !== undefined;
  const isSchemaShared = isShared("schema");
  for (const { field, sharedAt, check } of PARTS) {
    const isBesideSchema = isShared(field) === isSchemaShared;
    if (isShared(field)) {
      if (versions.length === 0) continue;
      check(versions[0], sharedAt, errors, { hasStatus: versions.some(hasStatus), isBesideSchema });
      continue;
    }
    for (const [i, version] of versions.entries()) {
      check(version, `spec.versions[${i}].${field}`, errors, { hasStatus: hasStatus(version), isBesideSchema });
    }
  }
}

function validateSpec(spec: CustomResourceDefinitionSpec, errors: FieldErrors): void {
  const versions = spec.versions ?? [];
  validateGroup(spec.group, errors);
  if (!spec.scope) errors.required("spec.scope");
  else if (!["Cluster", "Namespaced"].includes(spec.scope)) {
    errors.notSupported("spec.scope", spec.scope, ["Cluster", "Namespaced"]);
  }
  for (const [i, version] of versions.entries()) {
    if (!version.schema?.openAPIV3Schema) errors.required(`spec.versions[${i}].schema.openAPIV3Schema`);
  }
  if (spec.preserveUnknownFields && versions.some(hasDefaults)) {
    errors.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema");
  }
  for (const [i, version] of versions.entries()) {
    const problems = dns1035Label(version.name);
    if (problems.length > 0) errors.invalid(`spec.versions[${i}].name`, version.name, problems.join(","));
    validateDeprecation(version, `spec.versions[${i}]`, errors);
  }
  validateVersionList(versions, errors);
  requireNames(spec.names, "spec.names", errors);
  validateNames(spec.names, "spec.names", errors);
  validateParts(versions, errors);
  validateConversion(spec.conversion, errors);
}

function hasDefaults({ schema }: CustomResourceDefinitionVersion): boolean {
  return schema?.openAPIV3Schema !== undefined && structuralOf(schema.openAPIV3Schema).hasDefaults;
}

function validateGroup(group: string, errors: FieldErrors): void {
  if (!group) return errors.required("spec.group");
  const problems = dnsSubdomain(group);
  if (problems.length > 0) errors.invalid("spec.group", group, problems.join(","));
  else if (!group.includes(".")) errors.invalid("spec.group", group, "should be a domain with at least one dot");
}

function validateVersionList(versions: readonly CustomResourceDefinitionVersion[], errors: FieldErrors): void {
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    errors.invalid("spec.versions", versions, "must contain unique version names");
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
  }
  const problems = names.length > 0 && names[0] !== "" ? dns1035Label(names[0]) : [];
  if (problems.length > 0) errors.invalid("spec.version", names[0], problems.join(","));
}

/** The names of the resource cannot change; once it is served, neither can what determines where it is stored. */
function validateImmutable(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition,
  errors: FieldErrors,
): void {
  const fixed = (field: string, value: unknown, before: unknown) => {
    if (value !== before) errors.invalid(field, value, "field is immutable");
  };
  if (isTrue(old, "Established")) {
    fixed("spec.scope", spec.scope, old.spec.scope);
    fixed("spec.names.kind", spec.names.kind, old.spec.names.kind);
  }
  fixed("spec.group", spec.group, old.spec.group);
  fixed("spec.names.plural", spec.names.plural, old.spec.names.plural);
}

export function isTrue({ status }: CustomResourceDefinition, type: string): boolean {
  return isConditionTrue(status?.conditions, type);
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition, errors: FieldErrors): void {
  const at = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    return errors.invalid(at, status?.storedVersions ?? null, "must have at least one stored version");
  }
  const versions = spec.versions ?? [];
  for (const { name, storage } of versions) {
    if (storage && !stored.includes(name)) errors.invalid(at, stored, `must have the storage version ${name}`);
  }
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    errors.invalid(`${at}[${i}]`, name, "must remain in spec.versions: objects may still be stored in it");
  }
}

type Approval = "missing" | "bypassed" | "approved" | "invalid";

function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const text = metadata?.annotations?.[APPROVAL] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+/i.test(text) ? "approved" : "invalid";
}

/** Groups of the Kubernetes community need an approval that the definition refers to. */
function validateApproval(
  definition: CustomResourceDefinition,
  errors: FieldErrors,
  old: CustomResourceDefinition | undefined,
): void {
  if (!COMMUNITY_GROUP.test(definition.spec.group ?? "")) return;
  const approval = approvalOf(definition);
  if (old && approvalOf(old) === approval) return;
  const at = `metadata.annotations[${APPROVAL}]`;
  const needs = 'must hold a URL, or a reason starting with "unapproved", in groups of the community';
  if (approval === "missing") errors.required(at, needs);
  if (approval === "invalid") errors.invalid(at, definition.metadata?.annotations?.[APPROVAL], needs);
}
