import { isMap } from "../base/mod.ts";
import { META_FIELDS, type Structural } from "./structural.ts";

/**
 * Removes, in place, fields of `value` that `schema` does not have. Upstream: `apiserver/schema/pruning`.
 *
 * @param schema `undefined` removes every field.
 * @param path The path of the value in `unknown`; empty for a whole object, which keeps its apiVersion, kind and
 * metadata.
 * @param unknown Receives the paths of removed fields, such as `spec.foo` or `spec.items[0].bar`.
 */
export function prune(value: unknown, schema: Structural | undefined, path = "", unknown?: string[]): void {
  if (Array.isArray(value)) {
    const items = schema?.items;
    // In a list that keeps everything, items without a schema keep everything, too.
    if (schema?.preservesUnknown && !items) return;
    const kept = schema?.preservesUnknown && items ? { ...items, preservesUnknown: true } : items;
    for (const [i, item] of value.entries()) prune(item, kept, `${path}[${i}]`, unknown);
    return;
  }
  if (!isMap(value)) return;
  for (const key of Object.keys(value)) {
    if ((path === "" || schema?.isEmbedded) && META_FIELDS.has(key)) continue;
    const property = schema?.properties.get(key);
    const member = value[key];
    if (property || schema?.additional) {
      if (typeof member !== "object" || member === null) continue;
      prune(member, property ?? schema?.additional?.schema, path === "" ? key : `${path}.${key}`, unknown);
    } else if (!schema?.preservesUnknown) {
      unknown?.push(path === "" ? key : `${path}.${key}`);
      delete value[key];
    }
  }
}
