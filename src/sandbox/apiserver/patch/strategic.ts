import { deepEqual } from "../../../base/mod.ts";
import { badRequest } from "../errors.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Field, StructType, ValueType } from "../schema/types.ts";

const SET_ORDER = "$setElementOrder/";
const DELETE_FROM = "$deleteFromPrimitiveList/";

/**
 * Strategic merge patch: as a merge patch, but lists that have a merge key are merged by it, and directives can replace, delete
 * and order. Upstream: `k8s.io/apimachinery/pkg/util/strategicpatch`.
 *
 * @param struct The type of `target`, which knows the merge keys; `undefined` for maps, which have none.
 * @throws {ApiError} 400 if a directive is malformed or an element lacks its merge key.
 */
export function strategicMerge(target: JsonObject, patch: JsonObject, struct: StructType | undefined): JsonObject {
  const directive = patch.$patch;
  if (directive === "replace") return withoutDirectives(patch);
  if (directive === "delete") return {};
  if (directive !== undefined && directive !== "merge") throw badRequest(`unknown patch type: ${directive}`);
  const out: JsonObject = { ...target };
  const retained = patch.$retainKeys;
  if (Array.isArray(retained)) {
    for (const key of Object.keys(out)) if (!retained.includes(key)) delete out[key];
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$")) continue;
    if (value === null) delete out[key];
    else out[key] = mergeField(out[key], value, struct?.fields.get(key));
  }
  applyListDirectives(out, patch, struct, target);
  return out;
}

function mergeField(old: unknown, value: unknown, field: Field | undefined): unknown {
  if (isObject(value)) {
    if (field?.replace) return withoutDirectives(value);
    return strategicMerge(isObject(old) ? old : {}, value, structOfValue(field?.type));
  }
  if (!Array.isArray(value) || field?.mergeKey === undefined) return value;
  return mergeList(Array.isArray(old) ? old : [], value, field);
}

function structOfValue(type: ValueType | undefined): StructType | undefined {
  return type?.kind === "struct" ? type.struct : undefined;
}

function mergeList(old: readonly unknown[], patch: readonly unknown[], field: Field): unknown[] {
  if (field.mergeKey === "") {
    const all = [...old, ...patch.filter((item) => !old.includes(item))];
    return inOrder(all, { wanted: patch, before: old, mergeKey: "" });
  }
  const key = field.mergeKey!;
  const struct = field.type.kind === "list" ? structOfValue(field.type.item) : undefined;
  if (patch.some((item) => isObject(item) && item.$patch === "replace")) {
    return patch.filter((item) => !(isObject(item) && item.$patch === "replace"));
  }
  let out = [...old];
  for (const item of patch) {
    if (!isObject(item)) throw badRequest(`an element of the list "${field.name}" must be an object`);
    const name = item[key];
    if (name === undefined) {
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
    const isSame = (other: unknown) => isObject(other) && deepEqual(other[key], name);
    if (item.$patch === "delete") {
      out = out.filter((other) => !isSame(other));
      continue;
    }
    const at = out.findIndex(isSame);
    if (at < 0) out.push(strategicMerge({}, item, struct));
    else out[at] = strategicMerge(out[at] as JsonObject, item, struct);
  }
  return inOrder(out, { wanted: patch, before: old, mergeKey: key });
}

function applyListDirectives(
  out: JsonObject,
  patch: JsonObject,
  struct: StructType | undefined,
  target: JsonObject,
): void {
  for (const [key, value] of Object.entries(patch)) {
    if (!Array.isArray(value)) continue;
    if (key.startsWith(DELETE_FROM)) {
      const list = out[key.slice(DELETE_FROM.length)];
      if (Array.isArray(list)) out[key.slice(DELETE_FROM.length)] = list.filter((item) => !value.includes(item));
    } else if (key.startsWith(SET_ORDER)) {
      const name = key.slice(SET_ORDER.length);
      const list = out[name];
      if (!Array.isArray(list)) continue;
      const before = target[name];
      out[name] = inOrder(list, {
        wanted: value,
        before: Array.isArray(before) ? before : [],
        mergeKey: struct?.fields.get(name)?.mergeKey ?? "",
      });
    }
  }
}

/**
 * Elements that the patch names come in its order, the others in the order they had; where both orders say nothing about two
 * elements, the patch's comes first. Upstream: normalizeElementOrder.
 */
function inOrder(
  list: readonly unknown[],
  { wanted, before, mergeKey }: {
    readonly wanted: readonly unknown[];
    readonly before: readonly unknown[];
    readonly mergeKey: string;
  },
): unknown[] {
  const nameOf = (item: unknown) => mergeKey !== "" && isObject(item) ? item[mergeKey] : item;
  const indexIn = (order: readonly unknown[], item: unknown) =>
    order.findIndex((other) => deepEqual(nameOf(other), nameOf(item)));
  const byIndexIn = (order: readonly unknown[]) => (a: unknown, b: unknown) => indexIn(order, a) - indexIn(order, b);
  const named = list.filter((item) => indexIn(wanted, item) >= 0).sort(byIndexIn(wanted));
  const others = list.filter((item) => indexIn(wanted, item) < 0).sort(byIndexIn(before));
  const out: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const left = indexIn(before, others[0]);
    const right = indexIn(before, named[0]);
    out.push(left >= 0 && right >= 0 && left < right ? others.shift() : named.shift());
  }
  return [...out, ...others, ...named];
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith("$")));
}
