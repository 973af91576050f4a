import { isReserved, toProperty } from "./identifiers.ts";
import * as types from "./types.ts";

type CelType = types.CelType;

/** The parts of an OpenAPI schema that types need. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
}

/** Finds a schema by its reference. */
export type FindSchema = (reference: string) => Schema | undefined;

/** References being resolved on the way to a schema: a recursive one becomes an object with unknown fields. */
interface Open {
  readonly reference: string;
  readonly outer: Open | undefined;
}

const EMPTY_OBJECT: Schema = { type: "object" };
const STRING: Schema = { type: "string" };
const METADATA: Schema = { type: "object", properties: { name: STRING, generateName: STRING } };
const FORMATS: Readonly<Record<string, CelType>> = {
  byte: types.BYTES,
  duration: types.DURATION,
  date: types.TIMESTAMP,
  "date-time": types.TIMESTAMP,
};

/**
 * The type of the objects that a schema describes; fields are resolved on demand.
 *
 * @param name The type's name, which prefixes those of its fields' types.
 * @returns `undefined` if the schema says nothing.
 *
 * Upstream: `apiserver/pkg/cel/common/schemas.go`, `apiserver/pkg/cel/openapi/resolver/refs.go`.
 */
export function schemaType(reference: string, find: FindSchema, name: string): CelType | undefined {
  return typeOfSchema({ $ref: reference }, { find, name, isRoot: true, open: undefined });
}

function kindOf({ type }: Schema): string | undefined {
  return typeof type === "object" ? type[0] : type;
}

/** A schema with its reference resolved, and the references open within it. */
function resolved(schema: Schema, { find, open }: Place): readonly [Schema, Open | undefined] {
  const reference = referenceOf(schema);
  if (reference === undefined) return [schema, open];
  for (let one = open; one; one = one.outer) if (one.reference === reference) return [EMPTY_OBJECT, open];
  return [find(reference) ?? {}, { reference, outer: open }];
}

/** References that come with a description are in `allOf`. */
function referenceOf({ $ref, allOf = [] }: Schema): string | undefined {
  if ($ref !== undefined) return $ref;
  for (const part of allOf) {
    const reference = referenceOf(part);
    if (reference !== undefined) return reference;
  }
  return undefined;
}

interface Place {
  readonly find: FindSchema;
  readonly name: string;
  /** Whether it is a whole object of the API. */
  readonly isRoot: boolean;
  readonly open: Open | undefined;
}

function typeOfSchema(given: Schema, place: Place): CelType | undefined {
  const [schema, open] = resolved(given, place);
  const inner = (part: Schema, suffix: string) => {
    const [target] = resolved(part, { ...place, open });
    const isRoot = target["x-kubernetes-embedded-resource"] === true;
    return typeOfSchema(part, { ...place, open, isRoot, name: `${place.name}${suffix}` });
  };
  if (schema.format === "int-or-string" || schema["x-kubernetes-int-or-string"] === true) return types.DYN;
  switch (kindOf(schema)) {
    case "array": {
      const element = schema.items && inner(schema.items, ".@idx");
      return element && types.listOf(element);
    }
    case "object": {
      const { additionalProperties } = schema;
      if (typeof additionalProperties !== "object") return structOf(schema, place, inner);
      const value = inner(additionalProperties, ".@elem");
      return value && types.mapOf(types.STRING, value);
    }
    case "string":
      return FORMATS[schema.format ?? ""] ?? types.STRING;
    case "boolean":
      return types.BOOL;
    case "number":
      return types.DOUBLE;
    case "integer":
      return types.INT;
    default:
      return undefined;
  }
}

function structOf(
  schema: Schema,
  place: Place,
  inner: (part: Schema, suffix: string) => CelType | undefined,
): CelType {
  const properties = place.isRoot ? withTypeAndMetadata(schema, place) : schema.properties ?? {};
  const known = new Map<string, CelType | undefined>();
  const lookUp = (identifier: string) => {
    const property = toProperty(properties, identifier);
    return property === undefined ? undefined : inner(properties[property], `.${identifier}`);
  };
  const field = (identifier: string) => {
    if (!known.has(identifier)) known.set(identifier, lookUp(identifier));
    return known.get(identifier);
  };
  return types.struct(place.name, (name) => field(name) ?? (isReserved(name) ? field(`__${name}__`) : undefined));
}

/** Upstream: WithTypeAndObjectMeta. */
function withTypeAndMetadata(schema: Schema, place: Place): Readonly<Record<string, Schema>> {
  const properties = schema.properties ?? {};
  const typed = (all: Readonly<Record<string, Schema>>, name: string) =>
    Object.hasOwn(all, name) ? resolved(all[name], place)[0] : {};
  const metadata = typed(properties, "metadata");
  const inMetadata = metadata.properties ?? {};
  const areStrings = [
    typed(properties, "kind"),
    typed(properties, "apiVersion"),
    typed(inMetadata, "name"),
    typed(inMetadata, "generateName"),
  ].every((schema) => kindOf(schema) === "string");
  const isComplete = areStrings && kindOf(metadata) === "object";
  return isComplete ? properties : { ...properties, kind: STRING, apiVersion: STRING, metadata: METADATA };
}
