import { isRawNumber } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";

/** A deep copy of JSON with sorted keys, as Go writes untyped objects. */
export function sortedCopy(value: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const copy = copyOf(value[key]);
    // Assigning this key would set the prototype.
    if (key !== "__proto__") out[key] = copy;
    else Object.defineProperty(out, key, { value: copy, configurable: true, enumerable: true, writable: true });
  }
  return out;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  return isObject(value) && !isRawNumber(value) ? sortedCopy(value) : value;
}
