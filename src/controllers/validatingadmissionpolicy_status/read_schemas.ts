import type { Schema } from "../../cel/mod.ts";

/** What a document describes. */
export interface Schemas {
  readonly byReference: ReadonlyMap<string, Schema>;
  /** References by group, version and kind. */
  readonly kinds: ReadonlyMap<string, string>;
}

const REFERENCE = "#/components/schemas/";
/** A definition may be as large as an object; a hundred of the largest have this many parts. */
const MOST_PARTS = 1_000_000;
/** Nobody looks deeper into an object, although the API server accepts deeper definitions. */
const DEEPEST = 500;

/**
 * Reads the schemas of an OpenAPI document, without what types do not need, such as descriptions. May be interrupted
 * between any two parts.
 *
 * @throws {RangeError} If it exceeds the limits.
 */
export function* readSchemas(document: unknown): Generator<void, Schemas> {
  const byReference = new Map<string, Schema>();
  const kinds = new Map<string, string>();
  const parts = { left: MOST_PARTS };
  for (const [name, schema] of Object.entries(recordOf(recordOf(recordOf(document).components).schemas))) {
    const reference = `${REFERENCE}${name}`;
    byReference.set(reference, yield* readSchema(schema, parts, DEEPEST));
    for (const kind of kindsOf(schema)) if (!kinds.has(kind)) kinds.set(kind, reference);
  }
  return { byReference, kinds };
}

function* readSchema(value: unknown, parts: { left: number }, depth: number): Generator<void, Schema> {
  yield;
  if (parts.left-- === 0) throw new RangeError(`the document describes more than ${MOST_PARTS} parts of objects`);
  const given = recordOf(value);
  const inner = (part: unknown) => readSchema(part, parts, depth - 1);
  const schema: Record<string, unknown> = {};
  for (const name of ["$ref", "type", "format", "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource"]) {
    if (given[name] !== undefined) schema[name] = given[name];
  }
  if (depth === 0) return schema;
  const { allOf, items, properties, additionalProperties } = given;
  if (Array.isArray(allOf)) schema.allOf = allOf.filter((part) => typeof recordOf(part).$ref === "string");
  if (isRecord(items)) schema.items = yield* inner(items);
  if (isRecord(additionalProperties)) schema.additionalProperties = yield* inner(additionalProperties);
  if (isRecord(properties)) {
    const read = new Map<string, Schema>();
    for (const [name, property] of Object.entries(properties)) read.set(name, yield* inner(property));
    schema.properties = Object.fromEntries(read);
  }
  return schema;
}

function kindsOf(schema: unknown): readonly string[] {
  const kinds = recordOf(schema)["x-kubernetes-group-version-kind"];
  if (!Array.isArray(kinds)) return [];
  return kinds.map(recordOf).map(({ group, version, kind }) => `${group}/${version}/${kind}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
