import type { JSONSchemaProps } from "../../../api/mod.ts";
import { isObject } from "../base/mod.ts";

/**
 * What a schema says about the structure of values: which fields there are, what they default to, how lists merge. Made once
 * from the schema of a version; pruning, defaulting and apply walk it. Upstream: `apiserver/schema/structural.go`.
 */
export interface Structural {
  /** Empty where any type is allowed. */
  readonly type: string;
  readonly format: string;
  readonly properties: ReadonlyMap<string, Structural>;
  /** Of fields that are not in {@link properties}; absent where there are no others. */
  readonly additional?: Additional;
  readonly items?: Structural;
  /** `undefined` for none; never null. */
  readonly default: unknown;
  readonly nullable: boolean;
  readonly preservesUnknown: boolean;
  /** An object with apiVersion, kind and metadata of its own. */
  readonly isEmbedded: boolean;
  readonly listType: string;
  readonly listKeys: readonly string[];
  readonly mapType: string;
  /** Whether there is a default in here or below. */
  readonly hasDefaults: boolean;
  /** Whether there is an embedded object in here or below. */
  readonly hasEmbedded: boolean;
  /** Whether there is a list of sets or keyed items in here or below. */
  readonly hasKeyedLists: boolean;
}

/** What `additionalProperties` allows: values of a schema, anything, or nothing. */
export interface Additional {
  readonly schema?: Structural;
  readonly allows: boolean;
}

/** The structure that a schema describes. */
export function structuralOf(schema: JSONSchemaProps): Structural {
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, structuralOf(one)]));
  const items = isSchema(schema.items) ? structuralOf(schema.items) : undefined;
  const additional = additionalOf(schema.additionalProperties);
  const below = [...properties.values(), ...items ? [items] : [], ...additional?.schema ? [additional.schema] : []];
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const listType = schema["x-kubernetes-list-type"] ?? "";
  return {
    type: schema.type ?? "",
    format: schema.format ?? "",
    properties,
    additional,
    items,
    default: schema.default ?? undefined,
    nullable: schema.nullable === true,
    preservesUnknown: schema["x-kubernetes-preserve-unknown-fields"] === true,
    isEmbedded,
    listType,
    listKeys: schema["x-kubernetes-list-map-keys"] ?? [],
    mapType: schema["x-kubernetes-map-type"] ?? "",
    hasDefaults: (schema.default ?? undefined) !== undefined || below.some((one) => one.hasDefaults),
    hasEmbedded: isEmbedded || below.some((one) => one.hasEmbedded),
    hasKeyedLists: listType === "set" || listType === "map" || below.some((one) => one.hasKeyedLists),
  };
}

function additionalOf(value: unknown): Additional | undefined {
  if (isSchema(value)) return { schema: structuralOf(value), allows: true };
  return typeof value === "boolean" ? { allows: value } : undefined;
}

/** Whether a keyword that can be a schema or something else is a schema. */
export function isSchema(value: unknown): value is JSONSchemaProps {
  return isObject(value);
}

/** The fields of every object that no schema has to name. */
export const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
