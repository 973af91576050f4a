import type { ObjectMeta } from "../../../api/mod.ts";
import { isObject, type JsonObject, translate } from "../base/mod.ts";
import { DecodeError, normalise, structOf } from "../schema/mod.ts";
import { dns1035Label, FieldErrors, validateAnyMetadata } from "../validation/mod.ts";
import { eachBelow, type Structural } from "./structural.ts";

/** An invalid object inside another one. */
export class EmbeddedError extends DecodeError {
  readonly field: string;
  readonly value: unknown;
  readonly detail: string;

  constructor(field: string, value: unknown, detail: string) {
    const errors = new FieldErrors();
    errors.invalid(field, value, detail);
    super(`${field}: ${errors.causes[0].message}`);
    this.field = field;
    this.value = value;
    this.detail = detail;
  }
}

const METADATA = structOf("meta.v1.ObjectMeta")!;
/**
 * Metadata in the form the API server gives it after decoding.
 *
 * @param path Its path: `metadata` or, for example, `spec.template.metadata`.
 * @throws {DecodeError} If it has the wrong type.
 */
export function readMetadata(value: unknown, path: string, unknown?: string[]): ObjectMeta {
  return normalise(value ?? {}, METADATA, unknown && { unknown }, path);
}

/**
 * Decodes the metadata of objects embedded in `value`, in place: checks types, drops unknown fields. Upstream:
 * `apiserver/schema/objectmeta/algorithm.go`.
 *
 * @throws {EmbeddedError} If apiVersion, kind or metadata is invalid.
 */
export function readEmbedded(value: unknown, schema: Structural | undefined, path = "", unknown?: string[]): void {
  if (!schema?.hasEmbedded) return;
  eachBelow(value, schema, path, (member, below, at) => readEmbedded(member, below, at, unknown));
  if (!schema.isEmbedded || !isObject(value)) return;
  for (const field of ["apiVersion", "kind"]) {
    if (field in value && typeof value[field] !== "string") {
      throw new EmbeddedError(`${path}.${field}`, value[field], "must be a string");
    }
  }
  if (!("metadata" in value)) return;
  value.metadata = translate(
    () => readMetadata(value.metadata, `${path}.metadata`, unknown),
    DecodeError,
    (why) => new EmbeddedError(`${path}.metadata`, value.metadata, why),
  );
}

/** Validates objects embedded in `value`. Upstream: `apiserver/schema/objectmeta/validation.go`. */
export function validateEmbedded(
  value: unknown,
  schema: Structural | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (!schema?.hasEmbedded) return;
  if (schema.isEmbedded && isObject(value)) validateObject(value, path, errors);
  eachBelow(value, schema, path, (member, below, at) => validateEmbedded(member, below, at, errors));
}

function validateObject(value: JsonObject, path: string, errors: FieldErrors): void {
  const at = (field: string) => path ? `${path}.${field}` : field;
  const { apiVersion, kind, metadata } = value;
  if (!("apiVersion" in value)) errors.required(at("apiVersion"));
  if (!("kind" in value)) errors.required(at("kind"));
  if (apiVersion === "") errors.invalid(at("apiVersion"), "", "must not be empty");
  else if (typeof apiVersion === "string" && apiVersion.split("/").length > 2) {
    errors.invalid(at("apiVersion"), apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  }
  if (kind === "") errors.invalid(at("kind"), "", "must not be empty");
  else if (typeof kind === "string") {
    const problems = dns1035Label(kind.toLowerCase());
    const why = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
    if (problems.length > 0) errors.invalid(at("kind"), kind, why);
  }
  if (!isObject(metadata)) return;
  const found = new FieldErrors();
  // The name is optional, but must be valid.
  validateAnyMetadata({ metadata: { ...metadata, name: metadata.name || "fakename" } as ObjectMeta }, found);
  for (const cause of found.causes) errors.causes.push({ ...cause, field: at(cause.field ?? "") });
}
