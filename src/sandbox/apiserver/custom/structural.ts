import type { JSONSchemaProps } from "../../../api/mod.ts";
import { isObject } from "../base/mod.ts";

/**
 * The structure of values in a schema: which fields there are, their defaults, how lists merge. Made once for each
 * version; pruning, defaulting and apply use it. Upstream: `apiserver/schema/structural.go`.
 */
export interface Structural {
  /** Empty if any type is allowed. */
  readonly type: string;
  readonly format: string;
  readonly properties: ReadonlyMap<string, Structural>;
  /** For fields that are not in {@link properties}; absent if no others are allowed. */
  readonly additional?: Additional;
  readonly items?: Structural;
  /** `undefined` without one; never null. */
  readonly default: unknown;
  readonly nullable: boolean;
  readonly preservesUnknown: boolean;
  /** Whether it is an object with its own apiVersion, kind and metadata. */
  readonly isEmbedded: boolean;
  readonly listType: string;
  readonly listKeys: readonly string[];
  readonly mapType: string;
  readonly hasDefaults: boolean;
  readonly hasEmbedded: boolean;
  /** Whether it or something below is a set or a keyed list. */
  readonly hasKeyedLists: boolean;
}

/** What `additionalProperties` allows: values of a schema, anything, or nothing. */
export interface Additional {
  readonly schema?: Structural;
  readonly allows: boolean;
}

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

/** Whether the value of a keyword is a schema. */
export function isSchema(value: unknown): value is JSONSchemaProps {
  return isObject(value);
}

/** The fields of every object, which schemas need not list. */
export const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Calls `visit` for each member or item of `value`, with its schema if it has one. */
export function eachBelow(
  value: unknown,
  schema: Structural,
  path: string,
  visit: (value: unknown, schema: Structural | undefined, path: string) => void,
): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) visit(item, schema.items, `${path}[${i}]`);
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const property = schema.properties.get(key);
    if (property) visit(value[key], property, path ? `${path}.${key}` : key);
    else visit(value[key], schema.additional?.schema, `${path}[${key}]`);
  }
}
