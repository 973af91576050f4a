import type { JSONSchemaProps } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { compilePattern, isSchema, PatternError } from "../custom/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";

type Level = "root" | "item" | "field";

const EITHER = [{ type: "integer" }, { type: "string" }];

/** Keywords that a schema below `allOf`, `anyOf`, `oneOf` or `not` must not have. */
const NOT_NESTED = [
  ..."type additionalProperties default title description nullable".split(" "),
  ..."preserve-unknown-fields embedded-resource int-or-string list-map-keys list-type map-type validations".split(" ")
    .map((mark) => `x-kubernetes-${mark}`),
] as (keyof JSONSchemaProps)[];

/** The schemas of these keywords, with the step to each: `.not`, `.allOf[0]`. */
export function nestedSchemas(
  schema: JSONSchemaProps,
  keywords: readonly ("not" | "allOf" | "anyOf" | "oneOf")[],
): [schema: JSONSchemaProps, step: string][] {
  return keywords.flatMap((keyword): [JSONSchemaProps, string][] => {
    const found = schema[keyword] ?? [];
    return Array.isArray(found) ? found.map((one, i) => [one, `.${keyword}[${i}]`]) : [[found, `.${keyword}`]];
  });
}

/** An extension requires a type beside it. */
export function validateTypeIs(wanted: string, { type }: JSONSchemaProps, at: string, errors: FieldErrors): void {
  if (!type) errors.required(`${at}.type`, `must be ${wanted}`);
  else if (type !== wanted) errors.invalid(`${at}.type`, type, `must be ${wanted}`);
}

/**
 * Checks that a schema is structural: it gives the type of every field outside of `allOf` and the like. Upstream:
 * `apiserver/schema/validation.go` (ValidateStructural).
 */
export function validateStructural(schema: JSONSchemaProps, path: string, errors: FieldErrors): void {
  validateShape(schema, "root", path, errors);
  validateCompleteness(schema, schema, { path, from: path }, errors);
}

function validateShape(schema: JSONSchemaProps, level: Level, path: string, errors: FieldErrors): void {
  const { type = "", items, properties = {}, additionalProperties } = schema;
  if (type === "array" && !isSchema(items)) errors.required(`${path}.items`, "must be specified");
  if (isSchema(items)) validateShape(items, "item", `${path}.items`, errors);
  for (const [name, property] of Object.entries(properties)) {
    validateShape(property, "field", `${path}.properties[${name}]`, errors);
  }
  if (additionalProperties !== undefined && level === "root") {
    errors.forbidden(`${path}.additionalProperties`, "must not be used at the root");
  }
  if (isSchema(additionalProperties)) {
    validateShape(additionalProperties, "field", `${path}.additionalProperties`, errors);
  }
  validateMarks(schema, path, errors);
  const excepted = {
    anyOf: deepEqual(schema.anyOf, EITHER),
    anyOfInFirstAllOf: deepEqual(schema.allOf?.[0]?.anyOf, EITHER),
  };
  validateCombined(schema, path, errors, excepted);
  validateType(schema, level, path, errors);
  validateMeta(schema, level, path, errors);
}

function validateMarks(schema: JSONSchemaProps, path: string, errors: FieldErrors): void {
  if (!schema["x-kubernetes-int-or-string"]) return;
  for (const mark of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (schema[mark]) errors.invalid(`${path}.${mark}`, true, "must be false if x-kubernetes-int-or-string is true");
  }
}

function validateType(schema: JSONSchemaProps, level: Level, path: string, errors: FieldErrors): void {
  const { type = "" } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  if (isEmbedded) {
    validateTypeIs("object", schema, path, errors);
  } else if (type === "" && !schema["x-kubernetes-int-or-string"] && !schema["x-kubernetes-preserve-unknown-fields"]) {
    errors.required(`${path}.type`);
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    errors.forbidden(`${path}.additionalProperties`, "must not be set for embedded resources");
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.invalid(`${path}.type`, type, "must be object at the root");
  }
}

/** A schema cannot describe the fields that every object has. */
function validateMeta(schema: JSONSchemaProps, level: Level, path: string, errors: FieldErrors): void {
  const { properties = {} } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isObject = level === "root" || isEmbedded;
  for (const name of ["kind", "apiVersion"]) {
    const type = properties[name]?.type ?? "";
    if (isObject && properties[name] && type !== "string") {
      errors.invalid(`${path}.properties[${name}].type`, type, "must be string");
    }
  }
  const { metadata } = properties;
  if (metadata && isObject && metadata.type !== "object") {
    errors.invalid(`${path}.properties[metadata].type`, metadata.type ?? "", "must be object");
  }
  if (metadata && level === "root" && !restrictsNamesAlone(metadata)) {
    errors.forbidden(`${path}.properties[metadata]`, "may only restrict name and generateName");
  }
  if (isEmbedded && !schema["x-kubernetes-preserve-unknown-fields"] && Object.keys(properties).length === 0) {
    errors.required(`${path}.properties`, "of an embedded resource");
  }
}

function restrictsNamesAlone({ type: _type, default: _default, properties = {}, ...rest }: JSONSchemaProps): boolean {
  const isName = (name: string) => name === "name" || name === "generateName";
  return Object.keys(rest).length === 0 && Object.keys(properties).every(isName);
}

/** The forms of `anyOf` and `allOf` that stand for an integer or a string. */
interface Excepted {
  readonly anyOf: boolean;
  readonly anyOfInFirstAllOf: boolean;
}

/** Validates schemas below `allOf` and the like, and the pattern beside them. */
function validateCombined(schema: JSONSchemaProps, path: string, errors: FieldErrors, excepted: Excepted): void {
  const keywords = excepted.anyOf ? ["allOf", "oneOf", "not"] as const : ["anyOf", "allOf", "oneOf", "not"] as const;
  for (const [one, step] of nestedSchemas(schema, keywords)) {
    validateNested(one, path + step, errors, excepted.anyOfInFirstAllOf && step === ".allOf[0]");
  }
  if (schema.pattern) validatePattern(schema.pattern, `${path}.pattern`, errors);
}

function validatePattern(pattern: string, path: string, errors: FieldErrors): void {
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError || error instanceof SyntaxError)) throw error;
    errors.invalid(path, pattern, `must be a valid regular expression, but isn't: ${error.message}`);
  }
}

function validateNested(schema: JSONSchemaProps, path: string, errors: FieldErrors, skipsAnyOf = false): void {
  validateCombined(schema, path, errors, { anyOf: skipsAnyOf, anyOfInFirstAllOf: false });
  if (isSchema(schema.items)) validateNested(schema.items, `${path}.items`, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateNested(property, `${path}.properties[${name}]`, errors);
  }
  for (const keyword of NOT_NESTED) {
    // `false` is the same as absent.
    const isSaid = schema[keyword] !== undefined && schema[keyword] !== false;
    if (isSaid) errors.forbidden(`${path}.${keyword}`, "must not be set to be structural");
  }
  if (schema.properties?.metadata) {
    errors.forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context");
  }
}

interface Pair {
  /** Where the field must be described. */
  readonly path: string;
  /** Where it is constrained. */
  readonly from: string;
}

/** Every field in `allOf` and the like must be described outside of them. */
function validateCompleteness(
  rules: JSONSchemaProps,
  described: JSONSchemaProps,
  { path, from }: Pair,
  errors: FieldErrors,
): void {
  for (const [one, step] of nestedSchemas(rules, ["not", "allOf", "anyOf", "oneOf"])) {
    validateDescribed(one, described, { path, from: from + step }, errors);
  }
}

function validateDescribed(
  rules: JSONSchemaProps,
  described: JSONSchemaProps | undefined,
  { path, from }: Pair,
  errors: FieldErrors,
): void {
  if (!described) {
    errors.required(path, `because it is defined in ${from}`);
    return;
  }
  validateCompleteness(rules, described, { path, from }, errors);
  if (isSchema(rules.items)) {
    const items = isSchema(described.items) ? described.items : undefined;
    validateDescribed(rules.items, items, { path: `${path}.items`, from: `${from}.items` }, errors);
  }
  for (const [name, property] of Object.entries(rules.properties ?? {})) {
    const step = `.properties[${name}]`;
    validateDescribed(property, described.properties?.[name], { path: path + step, from: from + step }, errors);
  }
}
