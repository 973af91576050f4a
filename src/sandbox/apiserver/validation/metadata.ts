import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  labelValueErrors,
  type ObjectMeta,
  pathSegmentErrors,
} from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { Traits } from "../traits.ts";
import type { FieldErrors } from "./field_errors.ts";

const LARGEST_ANNOTATIONS_BYTES = 256 * 1024;
const PLAIN_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"];

const NAME_RULES: Readonly<Record<NonNullable<Traits["names"]>, (name: string) => string[]>> = {
  subdomain: dns1123SubdomainErrors,
  label: dns1123LabelErrors,
  dns1035: dns1035LabelErrors,
  path: pathSegmentErrors,
};

/** The rules for metadata that hold for every kind. Upstream: `apimachinery/pkg/api/validation/objectmeta.go`. */
export function validateMetadata(object: StoredObject, traits: Traits, errors: FieldErrors): void {
  const { metadata } = object;
  if (!metadata.name) errors.required("metadata.name", "name or generateName is required");
  else validateName(metadata.name, traits, errors);
  validateLabels(metadata.labels, "metadata.labels", errors);
  validateAnnotations(metadata, errors);
  validateOwners(metadata, errors);
  validateFinalizers(metadata, errors);
}

function validateName(name: string, { names = "subdomain", longestName = 253 }: Traits, errors: FieldErrors): void {
  for (const problem of NAME_RULES[names](name)) errors.invalid("metadata.name", name, problem);
  if (name.length > longestName) {
    errors.invalid("metadata.name", name, `must be no more than ${longestName} characters`);
  }
}

/** Label syntax, for `metadata.labels` and the labels of templates. */
export function validateLabels(labels: Record<string, string> | undefined, field: string, errors: FieldErrors): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const problem of labelKeyErrors(key)) errors.invalid(field, key, problem);
    for (const problem of labelValueErrors(value)) errors.invalid(field, value, problem);
  }
}

function validateAnnotations({ annotations = {} }: ObjectMeta, errors: FieldErrors): void {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const problem of labelKeyErrors(key.toLowerCase())) errors.invalid("metadata.annotations", key, problem);
    size += key.length + value.length;
  }
  if (size > LARGEST_ANNOTATIONS_BYTES) errors.tooLong("metadata.annotations", LARGEST_ANNOTATIONS_BYTES);
}

function validateOwners({ ownerReferences = [] }: ObjectMeta, errors: FieldErrors): void {
  const controllers: string[] = [];
  for (const { apiVersion, kind, name, uid, controller } of ownerReferences) {
    const field = "metadata.ownerReferences";
    if (!apiVersion) errors.invalid(`${field}.apiVersion`, apiVersion, "version must not be empty");
    if (!kind) errors.invalid(`${field}.kind`, kind, "must not be empty");
    if (!name) errors.invalid(`${field}.name`, name, "must not be empty");
    if (!uid) errors.invalid(`${field}.uid`, uid, "must not be empty");
    if (apiVersion === "v1" && kind === "Event") {
      errors.invalid(field, kind, `/v1, Kind=Event is disallowed from being an owner`);
    }
    if (controller) controllers.push(`${kind}/${name}`);
  }
  if (controllers.length > 1) {
    const names = controllers.slice(0, 2).join(" and ");
    errors.invalid(
      "metadata.ownerReferences",
      ownerReferences,
      `Only one reference can have Controller set to true. Found "true" in references for ${names}`,
    );
  }
}

function validateFinalizers({ finalizers = [] }: ObjectMeta, errors: FieldErrors): void {
  for (const [i, finalizer] of finalizers.entries()) {
    for (const problem of labelKeyErrors(finalizer)) errors.invalid(`metadata.finalizers[${i}]`, finalizer, problem);
    if (!finalizer.includes("/") && !PLAIN_FINALIZERS.includes(finalizer)) {
      const why = "name is neither a standard finalizer name nor is it fully qualified";
      errors.invalid(`metadata.finalizers[${i}]`, finalizer, why);
    }
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

/** What an update may not do to metadata. */
export function validateMetadataUpdate(object: StoredObject, old: StoredObject, errors: FieldErrors): void {
  const immutable = "field is immutable";
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
  if (uid !== old.metadata.uid) errors.invalid("metadata.uid", uid, immutable);
  if (creationTimestamp !== old.metadata.creationTimestamp) {
    errors.invalid("metadata.creationTimestamp", creationTimestamp, immutable);
  }
  if (deletionTimestamp !== old.metadata.deletionTimestamp) {
    errors.invalid("metadata.deletionTimestamp", deletionTimestamp, immutable);
  }
  if (deletionGracePeriodSeconds !== old.metadata.deletionGracePeriodSeconds) {
    errors.invalid("metadata.deletionGracePeriodSeconds", deletionGracePeriodSeconds, immutable);
  }
  if (!old.metadata.deletionTimestamp) return;
  const added = finalizers.filter((finalizer) => !old.metadata.finalizers?.includes(finalizer));
  if (added.length === 0) return;
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  errors.forbidden(
    "metadata.finalizers",
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
  );
}
