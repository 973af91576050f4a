import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionNames,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  isConditionTrue,
  type ObjectMeta,
} from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { structuralOf } from "../custom/mod.ts";
import { type Check, dnsSubdomain, type FieldErrors, fields, oneOf, required } from "../validation/mod.ts";
import { validateConversion } from "./conversion_rules.ts";
import { validateLabel, validateNames } from "./name_rules.ts";
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
type Part = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

type PartCheck = (
  version: CustomResourceDefinitionVersion,
  at: string,
  errors: FieldErrors,
  circumstances: {
    /** Whether the version, or any that shares the part with it, has a status subresource. */
    readonly hasStatus: boolean;
    /** Whether the schema is where this part is: shared or in the version. */
    readonly isBesideSchema: boolean;
  },
) => void;

const PARTS: Readonly<Record<Part, PartCheck>> = {
  schema({ schema }, at, errors, { hasStatus }) {
    if (schema?.openAPIV3Schema) validateVersionSchema(schema.openAPIV3Schema, at, { hasStatus, errors });
  },
  subresources: ({ subresources }, at, errors) => validateSubresources(subresources, at, errors),
  additionalPrinterColumns: ({ additionalPrinterColumns }, at, errors) =>
    validateColumns(additionalPrinterColumns, at, errors),
  selectableFields({ selectableFields, schema }, at, errors, { isBesideSchema }) {
    if (!selectableFields) return;
    // Upstream looks for the schema in a place that it has moved it out of.
    if (!isBesideSchema || !schema?.openAPIV3Schema) errors.invalid(at, "", "needs a schema beside it");
    else validateSelectableFields(selectableFields, schema.openAPIV3Schema, at, errors);
  },
};

function validateParts(versions: readonly CustomResourceDefinitionVersion[], errors: FieldErrors): void {
  if (versions.length === 0) return;
  const isShared = (part: Part) => versions.every((version) => deepEqual(version[part], versions[0][part]));
  const hasStatus = ({ subresources }: CustomResourceDefinitionVersion) => subresources?.status !== undefined;
  const isSchemaShared = isShared("schema");
  for (const part of Object.keys(PARTS) as Part[]) {
    const isBesideSchema = isShared(part) === isSchemaShared;
    if (isShared(part)) {
      const at = part === "schema" ? "spec.validation" : `spec.${part}`;
      PARTS[part](versions[0], at, errors, { hasStatus: versions.some(hasStatus), isBesideSchema });
      continue;
    }
    for (const [i, version] of versions.entries()) {
      const circumstances = { hasStatus: hasStatus(version), isBesideSchema };
      PARTS[part](version, `spec.versions[${i}].${part}`, errors, circumstances);
    }
  }
}

const validateGroup: Check<string> = (group, at, errors) => {
  const problems = dnsSubdomain(group);
  if (problems.length > 0) errors.invalid(at, group, problems.join(","));
  else if (!group.includes(".")) errors.invalid(at, group, "should be a domain with at least one dot");
};

const checkSpec = fields<CustomResourceDefinitionSpec>({
  group: required(validateGroup),
  scope: required(oneOf("Cluster", "Namespaced")),
});

const requireNames = fields<CustomResourceDefinitionNames>({ plural: "!", singular: "!", kind: "!", listKind: "!" });

function validateSpec(spec: CustomResourceDefinitionSpec, errors: FieldErrors): void {
  const versions = spec.versions ?? [];
  checkSpec(spec, "spec", errors);
  for (const [i, version] of versions.entries()) {
    if (!version.schema?.openAPIV3Schema) errors.required(`spec.versions[${i}].schema.openAPIV3Schema`);
  }
  if (spec.preserveUnknownFields && versions.some(hasDefaults)) {
    errors.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema");
  }
  for (const [i, version] of versions.entries()) {
    validateLabel(version.name, `spec.versions[${i}].name`, errors);
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

function validateVersionList(versions: readonly CustomResourceDefinitionVersion[], errors: FieldErrors): void {
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    errors.invalid("spec.versions", versions, "must contain unique version names");
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
  }
  if (names[0]) validateLabel(names[0], "spec.version", errors);
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

function approvalOf({ metadata }: CustomResourceDefinition): "missing" | "invalid" | "given" {
  const text = metadata?.annotations?.[APPROVAL] ?? "";
  if (text === "") return "missing";
  return /^unapproved|^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]+/.test(text) ? "given" : "invalid";
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
