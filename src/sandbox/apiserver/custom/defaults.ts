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
      value[i] = orDefault(value[i], schema.items);
      applyDefaults(value[i], schema.items);
    }
    return;
  }
  if (!isMap(value)) return;
  for (const [name, property] of schema.properties) {
    if (property.default !== undefined && !Object.hasOwn(value, name)) value[name] = deepCopy(property.default);
  }
  for (const key of Object.keys(value)) {
    const below = schema.properties.get(key) ?? schema.additional?.schema;
    value[key] = orDefault(value[key], below);
    applyDefaults(value[key], below);
  }
}

/** The default instead of a null that is not allowed. */
function orDefault(value: unknown, schema: Structural | undefined): unknown {
  const isMissing = value === null && schema?.nullable === false && schema.default !== undefined;
  return isMissing ? deepCopy(schema.default) : value;
}
