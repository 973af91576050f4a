import { deepCopy, type Json } from "../base/mod.ts";
import { type PodTemplateSpec, Quantity } from "../api/mod.ts";
import { type GoStruct, type GoType, POD_TEMPLATE_SPEC } from "./pod_template_schema.ts";

/**
 * The template as upstream v1.36 would encode it: unknown fields are dropped, zero values are omitted or written as
 * Go's types prescribe. Quantities are in canonical form.
 *
 * @example
 * ```ts
 * import { encodePodTemplate } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(encodePodTemplate({ metadata: { labels: {} }, spec: { containers: [], hostNetwork: false } }), {
 *   metadata: {},
 *   spec: { containers: [] },
 * });
 * ```
 */
export function encodePodTemplate(template: PodTemplateSpec): Json {
  return encode(template, POD_TEMPLATE_SPEC);
}

/** Encodes `value` from JSON as Go would after decoding it into `type`. */
function encode(value: unknown, type: GoType): Json {
  switch (type.tag) {
    case "struct": {
      const object: { [key: string]: Json } = {};
      encodeFields(toRecord(value), type, object);
      return object;
    }
    case "pointer":
      return isNil(value) ? null : encode(value, type.target);
    case "slice":
      return Array.isArray(value) ? value.map((item) => encode(item, type.element)) : null;
    case "map":
      if (isNil(value)) return null;
      return Object.fromEntries(Object.entries(toRecord(value)).map(([key, item]) => [key, encode(item, type.value)]));
    case "quantity":
      return isNil(value) ? "0" : Quantity.parse(value as string | number).toString();
    default:
      return isNil(value) ? zeroOf(type) : deepCopy(value as Json);
  }
}

function encodeFields(source: Readonly<Record<string, unknown>>, type: GoStruct, into: { [key: string]: Json }): void {
  for (const field of type.fields) {
    if (field.inlined) {
      encodeFields(source, field.type as GoStruct, into);
      continue;
    }
    const value = Object.hasOwn(source, field.jsonKey) ? source[field.jsonKey] : undefined;
    if (field.omitEmpty && isEmpty(value, field.type)) continue;
    into[field.jsonKey] = encode(value, field.type);
  }
}

/** Whether Go omits a field of this type and value if it is marked `omitempty` (`omitzero` for times). */
function isEmpty(value: unknown, { tag }: GoType): boolean {
  if (tag === "struct" || tag === "quantity" || tag === "intOrString") return false;
  if (isNil(value)) return true;
  if (tag === "pointer") return false;
  if (tag === "slice") return Array.isArray(value) && value.length === 0;
  if (tag === "map") return Object.keys(toRecord(value)).length === 0;
  return value === "" || value === 0 || value === false;
}

function zeroOf({ tag }: GoType): Json {
  if (tag === "string") return "";
  if (tag === "bool") return false;
  return tag === "int" || tag === "intOrString" ? 0 : null;
}

/** Go does not distinguish an absent value from `null`. */
export function isNil(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** An object without members; always the same one. */
export const NOTHING_SET: Readonly<Record<string, unknown>> = {};

/** The members of an object; none for anything else. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : NOTHING_SET;
}
