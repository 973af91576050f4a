import type { JSONSchemaProps } from "../../../api/mod.ts";
import { isSchema } from "../custom/mod.ts";
import { type FieldErrors, oneOf } from "../validation/mod.ts";
import { validateTypeIs } from "./structural_rules.ts";

/** Checks that a schema's list extensions fit together. Upstream: `apis/apiextensions/validation/validation.go`. */
export function validateListMarks(schema: JSONSchemaProps, at: string, errors: FieldErrors): void {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== undefined) validateListType(schema, listType, at, errors);
  if (keys.length > 0 && listType !== "map") {
    if (listType === undefined) errors.required(`${at}.x-kubernetes-list-type`, "must be map");
    else errors.invalid(`${at}.x-kubernetes-list-type`, listType, "must be map");
  }
  if (listType === "map") validateKeyedList(schema, keys, at, errors);
  if ((listType === "map" || listType === "set") && isSchema(schema.items)) {
    validateItems(schema.items, listType, { keys, at: `${at}.items`, errors });
  }
}

function validateListType(schema: JSONSchemaProps, listType: string, at: string, errors: FieldErrors): void {
  const { type, items } = schema;
  validateTypeIs("array", schema, at, errors);
  if (type === "array" && listType === "set" && isSchema(items)) {
    const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const itemListType = items["x-kubernetes-list-type"];
    if (items.type === "array" && itemListType !== undefined && itemListType !== "atomic") {
      errors.invalid(`${at}.items.x-kubernetes-list-type`, itemListType, why);
    }
    if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
      errors.invalid(`${at}.items.x-kubernetes-map-type`, itemListType ?? null, why);
    }
  }
  oneOf("atomic", "set", "map")(listType, `${at}.x-kubernetes-list-type`, errors);
}

function validateKeyedList(schema: JSONSchemaProps, keys: readonly string[], at: string, errors: FieldErrors): void {
  const { items } = schema;
  const keysAt = `${at}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.required(keysAt, "must not be empty if x-kubernetes-list-type is map");
  if (items === undefined) errors.required(`${at}.items`, "must have a schema if x-kubernetes-list-type is map");
  if (!isSchema(items)) return;
  if (items.type !== "object") {
    return errors.invalid(`${at}.items.type`, items.type ?? "", "must be object in a list of type map");
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property && (property.type === "array" || property.type === "object")) {
      errors.invalid(`${at}.items.properties[${key}].type`, items.type, "must be a scalar in a list of type map");
    }
    if (!property) errors.invalid(keysAt, keys, "entries must all be names of item properties");
    if (seen.has(key)) errors.invalid(keysAt, keys, "must not contain duplicate entries");
    seen.add(key);
  }
}

function validateItems(
  items: JSONSchemaProps,
  listType: "map" | "set",
  { keys, at, errors }: { readonly keys: readonly string[]; readonly at: string; readonly errors: FieldErrors },
): void {
  if (items.nullable) {
    errors.forbidden(`${at}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  }
  if (listType === "set") return;
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property) continue;
    const hasDefault = property.default !== undefined && property.default !== null;
    if (!items.required?.includes(key) && !hasDefault) {
      errors.required(`${at}.properties[${key}].default`, "a key must have a default or be required");
    }
    if (property.nullable) errors.forbidden(`${at}.properties[${key}].nullable`, "a key cannot be nullable");
  }
}
