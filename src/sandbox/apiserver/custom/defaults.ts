import { deepCopy } from "../../../base/mod.ts";
import { isMap } from "../base/mod.ts";
import type { Structural } from "./structural.ts";

/**
 * Removes, in place, null fields where `schema` allows no null and has no default; {@link applyDefaults} replaces those
 * that have one. Upstream: `apiserver/schema/defaulting/prunenulls.go`.
 */
export function dropNulls(value: unknown, schema: Structural | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) dropNulls(item, schema?.items);
    return;
  }
  if (!isMap(value)) return;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (typeof member !== "object") continue;
    const below = schema?.properties.get(key) ?? schema?.additional?.schema;
    if (member !== null) dropNulls(member, below);
    else if (below && !below.nullable && below.default === undefined) delete value[key];
  }
}

/**
 * Sets, in place, the default of fields that are missing, or null where that is not allowed. Defaults within defaults
 * apply too. Upstream: `apiserver/schema/defaulting/algorithm.go`.
 */
export function applyDefaults(value: unknown, schema: Structural | undefined): void {
  if (!schema?.hasDefaults) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && schema.items && !schema.items.nullable) value[i] = copyOfDefault(schema.items);
      applyDefaults(value[i], schema.items);
    }
    return;
  }
  if (!isMap(value)) return;
  for (const [name, property] of schema.properties) {
    if (property.default === undefined) continue;
    const present = Object.hasOwn(value, name);
    if (!present || (value[name] === null && !property.nullable)) value[name] = deepCopy(property.default);
  }
  for (const key of Object.keys(value)) {
    const property = schema.properties.get(key);
    const other = schema.additional?.schema;
    if (property) {
      applyDefaults(value[key], property);
    } else if (other) {
      if (value[key] === null && !other.nullable) value[key] = copyOfDefault(other);
      applyDefaults(value[key], other);
    }
  }
}

function copyOfDefault(schema: Structural): unknown {
  return schema.default === undefined ? null : deepCopy(schema.default);
}
