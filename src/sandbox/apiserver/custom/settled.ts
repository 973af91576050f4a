import { isMap } from "../base/mod.ts";
import { META_FIELDS, type Structural } from "./structural.ts";

/**
 * Whether pruning, dropping nulls and defaulting would leave `value` unchanged. Allocates nothing, since it checks
 * every stored object after its schema has changed.
 */
export function isSettled(value: unknown, schema: Structural | undefined, isRoot = false): boolean {
  if (Array.isArray(value)) return areItemsSettled(value, schema);
  if (!isMap(value)) return true;
  if (schema?.hasDefaults) {
    for (const [name, property] of schema.properties) {
      if (property.default !== undefined && !Object.hasOwn(value, name)) return false;
    }
  }
  for (const key in value) {
    if ((isRoot || schema?.isEmbedded) && META_FIELDS.has(key)) continue;
    const property = schema?.properties.get(key);
    if (!property && !schema?.additional) {
      if (!schema?.preservesUnknown) return false;
      continue;
    }
    const below = property ?? schema?.additional?.schema;
    const member = value[key];
    if (member === null ? below !== undefined && !below.nullable : !isSettled(member, below)) return false;
  }
  return true;
}

function areItemsSettled(values: readonly unknown[], schema: Structural | undefined): boolean {
  if (!schema?.items) {
    return schema?.preservesUnknown === true || values.every((item) => typeof item !== "object" || item === null);
  }
  const { items, preservesUnknown } = schema;
  const kept = preservesUnknown && !items.preservesUnknown ? { ...items, preservesUnknown } : items;
  return values.every((item) => item === null ? items.default === undefined || items.nullable : isSettled(item, kept));
}
