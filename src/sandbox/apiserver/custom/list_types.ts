import { canonicalJson } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";
import { eachBelow, type Structural } from "./structural.ts";

/** Finds duplicates in sets and keyed lists. Upstream: `apiserver/schema/listtype/validation.go`. */
export function validateLists(
  value: unknown,
  schema: Structural | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (!schema?.hasKeyedLists) return;
  if (Array.isArray(value)) {
    if (schema.listType === "set") reportRepeated(value, path, errors);
    if (schema.listType === "map") validateKeyed(value, schema, path, errors);
  }
  eachBelow(value, schema, path, (member, below, at) => validateLists(member, below, at, errors));
}

function validateKeyed(items: readonly unknown[], { listKeys }: Structural, path: string, errors: FieldErrors): void {
  const odd = items.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) {
    errors.invalid(`${path}[${odd}]`, items[odd], "must be an object for an array of list-type map");
    return;
  }
  const keys = items.map((item): JsonObject =>
    Object.fromEntries(listKeys.flatMap((key) => isObject(item) && Object.hasOwn(item, key) ? [[key, item[key]]] : []))
  );
  reportRepeated(keys, path, errors);
}

/** Reports the second of equal values, but no further ones. */
function reportRepeated(values: readonly unknown[], path: string, errors: FieldErrors): void {
  if (values.length < 2) return;
  // Two maps, since a string must not equal the object with that JSON.
  const plain = new Map<unknown, number>();
  const compound = new Map<unknown, number>();
  for (const [i, value] of values.entries()) {
    const isCompound = typeof value === "object" && value !== null;
    const times = isCompound ? compound : plain;
    const key = isCompound ? canonicalJson(value) : value;
    const seen = times.get(key) ?? 0;
    times.set(key, seen + 1);
    if (seen === 1) errors.duplicate(`${path}[${i}]`, value);
  }
}
