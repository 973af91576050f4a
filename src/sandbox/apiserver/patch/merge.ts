import { isObject, type JsonObject } from "../base/mod.ts";

/** JSON Merge Patch (RFC 7386). Neither argument is changed; unchanged parts are shared with `target`. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const out: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = mergePatch(out[key], value);
  }
  return out;
}
