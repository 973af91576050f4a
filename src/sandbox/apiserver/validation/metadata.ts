import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { FieldErrors } from "./field_errors.ts";
import {
  byteLength,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  type Format,
  pathSegment,
  qualifiedName,
} from "./formats.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { type Check, each, unchanged } from "./rules.ts";

/** The formats of names that several kinds share. */
export type NameRule = "subdomain" | "longName" | "label" | "dns1035" | "path";

/** What a kind says about its metadata. */
export interface MetadataRules {
  /** The format of names; a DNS subdomain by default. */
  readonly names?: NameRule | Format;
  /** Whether finalizers without a domain need not be known ones. */
  readonly hasPlainMetadata?: boolean;
}

/** The finalizers that need no domain. */
export const PLAIN_FINALIZERS = ["kubernetes", "orphan", "foregroundDeletion"];

/** A `-` at the end of a prefix stands for the part that follows. */
function asPrefix(format: Format): Format {
  return (value) => format(value.length > 1 && value.endsWith("-") ? `${value.slice(0, -2)}a` : value);
}

const NAME_RULES: Readonly<Record<NameRule, { readonly format: Format; readonly prefix: Format }>> = {
  subdomain: { format: dnsSubdomain, prefix: asPrefix(dnsSubdomain) },
  longName: { format: dnsSubdomain, prefix: () => [] },
  label: { format: dnsLabel, prefix: asPrefix(dnsLabel) },
  dns1035: { format: dns1035Label, prefix: asPrefix(dns1035Label) },
  path: { format: pathSegment, prefix: pathSegment },
};

/**
 * The minimal rules for objects of any kind. Upstream: `apimachinery/pkg/api/validation/objectmeta.go`,
 * `apiserver/pkg/registry/rest` (validateCommonFields).
 *
 * @param rule The format of names.
 */
export function validateAnyMetadata(
  { metadata }: StoredObject,
  errors: FieldErrors,
  rule: NameRule | Format = "path",
): void {
  const { format, prefix } = typeof rule === "string" ? NAME_RULES[rule] : { format: rule, prefix: asPrefix(rule) };
  const { name, generateName } = metadata;
  if (generateName) errors.invalidFor("metadata.generateName", generateName, prefix(generateName));
  if (!name) errors.required("metadata.name", "name or generateName is required");
  else errors.invalidFor("metadata.name", name, format(name));
  if (metadata.namespace) errors.invalidFor("metadata.namespace", metadata.namespace, dnsLabel(metadata.namespace));
  if ((metadata.generation ?? 0) < 0) {
    errors.invalid("metadata.generation", metadata.generation, "must be greater than or equal to 0");
  }
  if (metadata.labels) validateLabels(metadata.labels, "metadata.labels", errors);
  if (metadata.annotations) validateAnnotations(metadata.annotations, "metadata.annotations", errors);
  if (metadata.ownerReferences) validateOwners(metadata.ownerReferences, errors);
  if (metadata.finalizers) validateFinalizers(metadata.finalizers, errors);
  each(managedFields)(metadata.managedFields ?? [], "metadata.managedFields", errors);
}

function validateOwners(owners: readonly OwnerReference[], errors: FieldErrors): void {
  const field = "metadata.ownerReferences";
  let controller = "";
  for (const owner of owners) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = owner;
    const version = apiVersion.split("/").at(-1) ?? "";
    if (!version || apiVersion.split("/").length > 2) {
      errors.invalid(`${field}.apiVersion`, apiVersion, "version must not be empty");
    }
    for (const [part, value] of Object.entries({ kind, name, uid })) {
      if (!value) errors.invalid(`${field}.${part}`, value, "must not be empty");
    }
    if (apiVersion === "v1" && kind === "Event") {
      errors.invalid(field, owner, "/v1, Kind=Event is disallowed from being an owner");
    }
    if (!owner.controller) continue;
    const found = `${kind}/${name}`;
    if (controller) {
      errors.invalid(field, owners, `only one owner can be the controller, not ${controller} and ${found}`);
    } else controller = found;
  }
}

function validateFinalizers(finalizers: readonly string[], errors: FieldErrors): void {
  for (const finalizer of finalizers) errors.invalidFor("metadata.finalizers", finalizer, qualifiedName(finalizer));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

/** A finalizer without a domain must be one of the few that the system knows. */
export function validateFinalizerIsKnown(finalizer: string, at: string, errors: FieldErrors): void {
  if (finalizer.includes("/") || PLAIN_FINALIZERS.includes(finalizer)) return;
  errors.invalid(at, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
}

const knownFinalizers = each(validateFinalizerIsKnown);

const managedFields: Check<ManagedFieldsEntry> = (entry, at, errors) => {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") {
    errors.invalid(`${at}.operation`, operation, "must be `Apply` or `Update`");
  }
  if (fieldsType && fieldsType !== "FieldsV1") errors.invalid(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`");
  if (byteLength(manager) > 128) errors.tooLong(`${at}.manager`, 128);
  if (byteLength(subresource) > 256) errors.tooLong(`${at}.subresource`, 256);
};

/** Metadata of a new object. Upstream: ValidateObjectMeta in `pkg/apis/core/validation`. */
export function validateMetadata(object: StoredObject, traits: MetadataRules, errors: FieldErrors): void {
  validateAnyMetadata(object, errors, traits.names ?? "subdomain");
  if (!traits.hasPlainMetadata) knownFinalizers(object.metadata.finalizers ?? [], "metadata.finalizers", errors);
}

const KEPT = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Like {@link validateMetadata}, for an update. Upstream: ValidateObjectMetaUpdate. */
export function validateMetadataUpdate(
  object: StoredObject,
  { metadata: before }: StoredObject,
  { hasPlainMetadata }: MetadataRules,
  errors: FieldErrors,
): void {
  validateAnyMetadata(object, errors);
  const { metadata } = object;
  if (!hasPlainMetadata) knownFinalizers(metadata.finalizers ?? [], "metadata.finalizers", errors);
  if (before.deletionTimestamp) validateNoNewFinalizers(metadata, before, errors);
  for (const field of KEPT) unchanged(metadata[field], before[field], `metadata.${field}`, errors);
}

function validateNoNewFinalizers({ finalizers = [] }: ObjectMeta, before: ObjectMeta, errors: FieldErrors): void {
  const added = [...new Set(finalizers)].filter((finalizer) => !before.finalizers?.includes(finalizer)).sort();
  if (added.length === 0) return;
  errors.forbidden("metadata.finalizers", `the object is being deleted and gets no new ones: ${added.join(", ")}`);
}
