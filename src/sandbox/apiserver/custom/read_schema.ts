import type { JSONSchemaProps } from "../../../api/mod.ts";
import { deepCopy, isRawNumber, numberText } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { DecodeError } from "../schema/mod.ts";
import { type Keyword, KEYWORDS } from "./schema_fields.ts";

/** Where in a definition a schema stands. */
interface Place {
  /** As unknown fields are named: with keys and indices. */
  readonly path: string;
  /** As Go's decoder names it: keywords alone. */
  readonly goPath: string;
  /** Takes paths of unknown keywords; absent below keywords that upstream reads leniently. */
  readonly unknown?: string[];
}

/**
 * The schema of a version of a definition as the API server would store it after reading it: unknown keywords and empty values
 * gone. Always a new object.
 *
 * @param index The version's place in `spec.versions`.
 * @param unknown Takes the paths of keywords that no schema has.
 * @throws {DecodeError} If a keyword has a value of the wrong type.
 */
export function readVersionSchema(schema: unknown, index: number, unknown?: string[]): JSONSchemaProps {
  const path = `spec.versions[${index}].schema.openAPIV3Schema`;
  return readSchema(schema, { path, goPath: "spec.versions.schema.openAPIV3Schema", unknown });
}

function readSchema(value: unknown, place: Place): JSONSchemaProps {
  if (!isObject(value)) throw mismatch(value, place, "v1.JSONSchemaProps");
  const out: JsonObject = {};
  for (const name of Object.keys(value)) {
    const keyword = KEYWORDS.get(name);
    if (!keyword) {
      place.unknown?.push(`${place.path}.${name}`);
      continue;
    }
    if (value[name] === null || value[name] === undefined) continue;
    const read = readKeyword(value[name], keyword, below(place, name));
    if (keyword.pointer || !isEmpty(read)) out[name] = read;
  }
  return out as JSONSchemaProps;
}

function below({ path, goPath, unknown }: Place, name: string): Place {
  return { path: `${path}.${name}`, goPath: `${goPath}.${name}`, unknown };
}

function readKeyword(value: unknown, { kind }: Keyword, place: Place): unknown {
  switch (kind) {
    case "text":
      if (typeof value === "string") return value;
      throw mismatch(value, place, "string");
    case "flag":
      if (typeof value === "boolean") return value;
      throw mismatch(value, place, "bool");
    case "integer":
    case "number":
      return readNumber(value, kind, place);
    case "texts":
      return readList(value, place, "string").map((item) => {
        if (typeof item === "string") return item;
        throw mismatch(item, place, "string");
      });
    case "jsons":
      return deepCopy(readList(value, place, "v1.JSON"));
    case "schemas":
      return readSchemas(value, place);
    case "rules":
      return readList(value, place, "v1.ValidationRule").map((rule) => isObject(rule) ? deepCopy(rule) : {});
    case "schema":
      return readSchema(value, place);
    case "schemaMap":
      return readMap(value, place, "v1.JSONSchemaProps", readSchema);
    case "dependencies":
      return readMap(
        value,
        place,
        "v1.JSONSchemaPropsOrStringArray",
        (item, at) => isObject(item) ? readSchema(item, leniently(at)) : deepCopy(item),
      );
    case "schemaOrFlag":
      if (typeof value === "boolean") return value;
      if (isObject(value)) return readSchema(value, leniently(place));
      throw new DecodeError("boolean or JSON schema expected");
    case "schemaOrList":
      if (Array.isArray(value)) return readSchemas(value, leniently(place));
      return isObject(value) ? readSchema(value, leniently(place)) : [];
    default:
      return deepCopy(value);
  }
}

function leniently({ path, goPath }: Place): Place {
  return { path, goPath };
}

function readNumber(value: unknown, kind: "integer" | "number", place: Place): unknown {
  if (typeof value !== "number" && !isRawNumber(value)) {
    throw mismatch(value, place, kind === "integer" ? "int64" : "float64");
  }
  if (kind === "number" || isRawNumber(value) || Number.isInteger(value)) return value;
  throw mismatch(value, place, "int64", ` ${numberText(value)}`);
}

function readList(value: unknown, place: Place, item: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw mismatch(value, place, `[]${item}`);
}

function readSchemas(value: unknown, place: Place): JSONSchemaProps[] {
  const list = readList(value, place, "v1.JSONSchemaProps");
  return list.map((item, i) => readSchema(item ?? {}, { ...place, path: `${place.path}[${i}]` }));
}

function readMap(
  value: unknown,
  place: Place,
  type: string,
  read: (item: unknown, place: Place) => unknown,
): JsonObject {
  if (!isObject(value)) throw mismatch(value, place, `map[string]${type}`);
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, read(item ?? {}, { ...place, path: `${place.path}.${key}` })]),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === "" || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function mismatch(value: unknown, { goPath }: Place, wanted: string, detail = ""): DecodeError {
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const kind = isRawNumber(value) ? "number" : found;
  return new DecodeError(
    `json: cannot unmarshal ${kind}${detail} into Go struct field JSONSchemaProps.${goPath} of type ${wanted}`,
  );
}
