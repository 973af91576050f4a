import { isObject, type JsonObject } from "../base/mod.ts";
import { goJson } from "./field_errors.ts";
import { INTERNAL_FIELDS } from "./generated_internal_fields.ts";
import { unifiedDiff } from "./unified_diff.ts";

/**
 * `value` as the messages of upstream's validation show it. Upstream validates types of its own, which have all fields under their Go
 * names whether they are set or not.
 *
 * @param type Such as `core.Taint`; `SecurityContext` is short for `core.SecurityContext`.
 *
 * @example
 * ```ts
 * import { internal } from "./internal_view.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(internal("Taint", { key: "a", effect: "NoExecute" }), { Key: "a", Value: "", Effect: "NoExecute", TimeAdded: null });
 * ```
 */
export function internal(type: string, value: object | undefined): JsonObject {
  return viewStruct(type.includes(".") ? type : `core.${type}`, value ?? {});
}

/** The difference of two values of a type as upstream's messages show it. */
export function internalDiff(type: string, before: object | undefined, after: object | undefined): string {
  const text = (value: object | undefined) => goJson(internal(type, value), 1);
  return unifiedDiff(text(before), text(after));
}

function viewStruct(type: string, source: object): JsonObject {
  const text = INTERNAL_FIELDS[type];
  if (text === undefined) throw new Error(`Cannot show a value of type ${type}: it is not among the generated types`);
  const value = type === "core.PodSpec" ? withHostSettings(source as JsonObject) : source as JsonObject;
  const out: JsonObject = {};
  for (const field of text.split(" ")) {
    const colon = field.indexOf(":");
    const code = field.slice(colon + 1);
    const [written, read = written] = field.slice(0, colon).split("=");
    // Embedded: its fields stand beside the others.
    if (written === "...") Object.assign(out, code === "m" ? value.metadata : viewStruct(code, value));
    else out[written] = view(value[read], code);
  }
  return out;
}

/** What the API has in a pod's spec, upstream's own type has in its security context. */
function withHostSettings(spec: JsonObject): JsonObject {
  if (!isObject(spec.securityContext)) return spec;
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const settings = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return { ...spec, securityContext: { ...spec.securityContext, ...settings } };
}

const ZEROS: Readonly<Record<string, unknown>> = { s: "", n: 0, b: false, q: "0", i: 0, t: null, m: {} };

function view(value: unknown, code: string): unknown {
  if (code.startsWith("*")) return value === undefined || value === null ? null : view(value, code.slice(1));
  if (code.startsWith("[]")) return Array.isArray(value) ? value.map((item) => view(item, code.slice(2))) : null;
  if (code.startsWith("{}")) return isObject(value) ? viewMap(value, code.slice(2)) : null;
  if (code in ZEROS) return value ?? ZEROS[code];
  return viewStruct(code, isObject(value) ? value : {});
}

function viewMap(value: JsonObject, code: string): JsonObject {
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, view(value[key], code)]));
}
