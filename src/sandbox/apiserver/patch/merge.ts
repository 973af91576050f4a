import { isObject, type JsonObject } from "../base/mod.ts";

/**
 * JSON Merge Patch (RFC 7386). Neither argument is changed; unchanged parts are shared with `target`.
 *
 * @param touched Takes the objects that were merged.
 */
export function mergePatch(target: unknown, patch: unknown, touched?: Set<unknown>): unknown {
  if (!isObject(patch)) return patch;
  const isMerged = isObject(target);
  const out: JsonObject = isMerged ? { ...target } : {};
  if (isMerged) touched?.add(out);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = mergePatch(out[key], value, touched);
  }
  return out;
}
