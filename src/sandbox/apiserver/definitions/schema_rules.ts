import type { JSONSchemaProps } from "../../../api/mod.ts";
import { isSchema, structuralOf } from "../custom/mod.ts";
import { structOf } from "../schema/mod.ts";
import { type FieldErrors, oneOf } from "../validation/mod.ts";
import { validateDefaults } from "./default_rules.ts";
import { validateListMarks } from "./list_rules.ts";
import { nestedSchemas, validateStructural, validateTypeIs } from "./structural_rules.ts";
import { validateRules } from "./validation_rules.ts";

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
/** In upstream's order. */
const KEYWORDS = [...structOf("apiextensions.v1.JSONSchemaProps")!.fields.keys()];
const META_FIELDS = ["metadata", "kind", "apiVersion"];

/** Keywords that definitions do not support. */
const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

/** The only keywords that the root of a schema may have if there is a status subresource. */
const ALLOWED_BESIDE_STATUS = [
  ..."description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength".split(" "),
  ..."pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example".split(" "),
  ..."x-kubernetes-preserve-unknown-fields x-kubernetes-validations".split(" "),
];

/** The place of a schema. */
interface Place {
  readonly isRoot: boolean;
  readonly isMeta: boolean;
  /** Why it may have no default; absent if it may. */
  readonly noDefault?: string;
}

const ROOT: Place = { isRoot: true, isMeta: false };

/**
 * Validates the schema of a version. Upstream: `apis/apiextensions/validation/validation.go`
 * (validateCustomResourceDefinitionValidation).
 *
 * @param path The path of the schema's parent: `spec.validation` or `spec.versions[0].schema`.
 */
export function validateVersionSchema(
  schema: JSONSchemaProps,
  path: string,
  { hasStatus, errors }: { readonly hasStatus: boolean; readonly errors: FieldErrors },
): void {
  const at = `${path}.openAPIV3Schema`;
  const known = errors.count;
  if (hasStatus) validateRootForStatus(schema, at, errors);
  if (schema.nullable) errors.forbidden(`${at}.nullable`, "nullable cannot be true at the root");
  const unreadable = unreadableKeyword(schema);
  if (unreadable === undefined) {
    const before = errors.count;
    validateStructural(schema, at, errors);
    if (errors.count === before) validateDefaults(schema, structuralOf(schema), at, errors);
  }
  validateSchema(schema, at, ROOT, errors);
  if (errors.count === known && unreadable !== undefined) errors.invalid(at, "", unreadable);
}

function validateRootForStatus(schema: JSONSchemaProps, at: string, errors: FieldErrors): void {
  for (const name of KEYWORDS) {
    if ((schema as Readonly<Record<string, unknown>>)[name] === undefined) continue;
    if (name === "type" && schema.type !== "object") {
      return errors.invalid(`${at}.type`, schema.type, "must be object beside the status subresource");
    }
    if (ALLOWED_BESIDE_STATUS.includes(name)) continue;
    return errors.invalid(at, schema, `must not have ${name} at its root beside the status subresource`);
  }
}

/** Why no structure can be read from a schema; keyword rules come first. */
function unreadableKeyword(schema: JSONSchemaProps): string | undefined {
  const found = ([...UNSUPPORTED, "$schema"] as const).find((name) => schema[name] !== undefined);
  if (found) return `OpenAPIV3Schema '${found.replace("$schema", "schema")}' is not supported`;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return schemasBelow(schema).values().map(unreadableKeyword).find((why) => why !== undefined);
}

/** The direct subschemas of a schema. */
export function schemasBelow(schema: JSONSchemaProps): JSONSchemaProps[] {
  const { items, allOf = [], oneOf = [], anyOf = [], not, properties = {}, additionalProperties } = schema;
  return [items, ...allOf, ...oneOf, ...anyOf, not, ...Object.values(properties), additionalProperties].filter(
    isSchema,
  );
}

function validateSchema(schema: JSONSchemaProps, at: string, place: Place, errors: FieldErrors): void {
  validateKeywords(schema, at, place, errors);
  if (schema.uniqueItems) errors.forbidden(`${at}.uniqueItems`, "cannot be set to true");
  validateOthers(schema, at, place, errors);
  validateProperties(schema, at, place, errors);
  const inside = { ...place, isRoot: false };
  for (const [one, step] of nestedSchemas(schema, ["not", "allOf", "oneOf", "anyOf"])) {
    validateSchema(one, at + step, inside, errors);
  }
  if (isSchema(schema.items)) validateSchema(schema.items, `${at}.items`, inside, errors);
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined");
  }
  validateMapType(schema, at, errors);
  validateListMarks(schema, at, errors);
  validateRules(schema, at, errors);
}

function validateKeywords(schema: JSONSchemaProps, at: string, place: Place, errors: FieldErrors): void {
  const { type, items } = schema;
  if (type && !TYPES.includes(type)) errors.notSupported(`${at}.type`, type, TYPES);
  if (schema.default !== undefined && schema.default !== null && place.noDefault !== undefined) {
    errors.forbidden(`${at}.default`, `must not be set ${place.noDefault}`);
  }
  for (const keyword of UNSUPPORTED) {
    if (schema[keyword] !== undefined) errors.forbidden(`${at}.${keyword}`, `${keyword} is not supported`);
  }
  if (type === "null") errors.forbidden(`${at}.type`, "type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(items)) errors.forbidden(`${at}.items`, "items must be a schema object and not an array");
  if (place.isMeta && schema["x-kubernetes-embedded-resource"]) {
    errors.forbidden(`${at}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta");
  }
}

function validateOthers(schema: JSONSchemaProps, at: string, place: Place, errors: FieldErrors): void {
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties === undefined) return;
  if (Object.keys(properties).length > 0 && additionalProperties !== true) {
    errors.forbidden(`${at}.additionalProperties`, "additionalProperties and properties are mutual exclusive");
  }
  if (!isSchema(additionalProperties)) return;
  const noDefault = place.isMeta ? "inside additionalProperties applying to object metadata" : place.noDefault;
  validateSchema(additionalProperties, `${at}.additionalProperties`, { ...place, isRoot: false, noDefault }, errors);
}

function validateProperties(schema: JSONSchemaProps, at: string, place: Place, errors: FieldErrors): void {
  const isObject = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = place.isMeta || (isObject && META_FIELDS.includes(name));
    const noDefault = place.isRoot && META_FIELDS.includes(name) ? `in top-level ${name}` : place.noDefault;
    validateSchema(property, `${at}.properties[${name}]`, { isRoot: false, isMeta, noDefault }, errors);
  }
}

function validateMapType(schema: JSONSchemaProps, at: string, errors: FieldErrors): void {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  validateTypeIs("object", schema, at, errors);
  oneOf("atomic", "granular")(mapType, `${at}.x-kubernetes-map-type`, errors);
}
