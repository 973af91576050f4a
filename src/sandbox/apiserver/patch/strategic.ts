import { badRequest, isObject, type JsonObject, plainError } from "../base/mod.ts";
import { type Field, setMember, type StructType, typeName, type ValueType } from "../schema/mod.ts";
import { areObjects, checkOrder, inOrder, mergeScalars, noMergeKey } from "./strategic_lists.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const SET_ORDER = "$setElementOrder/";
const DELETE_FROM = "$deleteFromPrimitiveList/";

/** The type of an object, which describes its fields; `undefined` for maps, whose members are untyped. */
type Schema = StructType | undefined;

/**
 * Strategic merge patch: like a merge patch, but lists with a merge key are merged by it, and directives can replace,
 * delete and reorder. Neither argument is changed; unchanged parts are shared with `target`. Upstream:
 * `k8s.io/apimachinery/pkg/util/strategicpatch` (mergeMap).
 *
 * @param schema The type of `target`, which has the merge keys.
 * @throws {ApiError} If a directive is malformed or an element lacks its merge key; for most of these, upstream
 * responds with 500.
 */
export function strategicMerge(target: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  if (DIRECTIVE in patch) return applyDirective(patch);
  const rest: JsonObject = { ...patch };
  const out = retainKeys(target, rest);
  mergeOrderedLists(out, rest, schema);
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith(DELETE_FROM)) deleteFromList(out, key.slice(DELETE_FROM.length), value);
    else mergeMember(out, key, value, schema);
  }
  return out;
}

/** A patch with a directive for the whole object. */
function applyDirective({ [DIRECTIVE]: directive, ...rest }: JsonObject): JsonObject {
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw unknownDirective(directive);
}

function unknownDirective(directive: unknown) {
  return plainError(`unknown patch type: ${JSON.stringify(directive)}`);
}

/** A copy of `target` with only the keys that the patch retains; removes the directive from the patch. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  if (!(RETAIN_KEYS in patch)) return { ...target };
  const retained = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  const isDirective = (key: string) => key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
  const isRetained = (key: string) => Array.isArray(retained) && retained.includes(key);
  const isForgotten = ([key, value]: [string, unknown]) => value !== null && !isDirective(key) && !isRetained(key);
  if (!Array.isArray(retained) || Object.entries(patch).some(isForgotten)) {
    throw badRequest("invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(target).filter(([key]) => isRetained(key)));
}

/** Merges the lists whose order the patch sets, and removes them and their order from the patch. */
function mergeOrderedLists(out: JsonObject, patch: JsonObject, schema: Schema): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ORDER)) continue;
    const order = patch[key];
    delete patch[key];
    if (!Array.isArray(order)) throw notAList(order);
    const name = key.slice(SET_ORDER.length);
    const [before, changes] = [out[name], patch[name]];
    for (const list of [before, changes]) if (list !== undefined && !Array.isArray(list)) throw notAList(list);
    const field = fieldOf(schema, name);
    const mergeKey = field?.mergeKey ?? "";
    if (Array.isArray(changes)) checkOrder(changes, order, mergeKey);
    if (before === undefined && changes === undefined) continue;
    const original = Array.isArray(before) ? before : [];
    const merged = Array.isArray(changes) && before !== undefined
      ? mergeList(original, changes, field)
      : before ?? withoutDirectives(changes);
    out[name] = inOrder(merged as unknown[], { wanted: order, before: original, mergeKey });
    delete patch[name];
  }
}

function notAList(value: unknown) {
  return plainError(`expected a list, but received ${typeName(value)}`);
}

function deleteFromList(out: JsonObject, name: string, values: unknown): void {
  const list = out[name];
  if (Array.isArray(list) && Array.isArray(values)) out[name] = list.filter((item) => !values.includes(item));
}

function mergeMember(out: JsonObject, key: string, value: unknown, schema: Schema): void {
  if (value === null) {
    delete out[key];
    return;
  }
  const old = Object.hasOwn(out, key) ? out[key] : undefined;
  if (isObject(value) && isObject(old)) {
    const field = fieldOf(schema, key);
    setMember(out, key, field?.replace ? value : strategicMerge(old, value, structOfValue(field?.type)));
  } else if (Array.isArray(value) && Array.isArray(old)) {
    setMember(out, key, mergeList(old, value, fieldOf(schema, key)));
  } else {
    // New values, and those of another type, are used as they are.
    const taken = withoutDirectives(withoutNulls(value));
    if (taken === undefined) delete out[key];
    else setMember(out, key, taken);
  }
}

/** The field with that name, which a struct must have. */
function fieldOf(schema: Schema, name: string): Field | undefined {
  if (!schema) return undefined;
  const field = schema.fields.get(name);
  if (field) return field;
  const struct = schema.name.split(".").at(-1);
  throw plainError(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`);
}

function structOfValue(type: ValueType | undefined): Schema {
  return type?.kind === "struct" ? type.struct : undefined;
}

function mergeList(old: readonly unknown[], patch: readonly unknown[], field: Field | undefined): unknown[] {
  if (field?.mergeKey === undefined) return [...patch];
  if (old.length === 0 && patch.length === 0) return [];
  const key = field.mergeKey;
  if (!areObjects([...old, ...patch])) return mergeScalars(old, patch);
  const { original, changes } = applySpecialItems(old as JsonObject[], patch as JsonObject[], key);
  const schema = field.type.kind === "list" ? structOfValue(field.type.item) : undefined;
  const merged = [...original];
  for (const change of changes) {
    if (!(key in change)) throw noMergeKey(key);
    const at = merged.findIndex((item) => item[key] === change[key]);
    if (at < 0) merged.push(change);
    else merged[at] = strategicMerge(merged[at], change, schema);
  }
  return inOrder(merged, { wanted: changes, before: original, mergeKey: key });
}

/** Applies the items of a patch that are directives. Returns the remaining list and patch. */
function applySpecialItems(
  old: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
): { readonly original: readonly JsonObject[]; readonly changes: readonly JsonObject[] } {
  let original = old;
  let replaces = false;
  const changes: JsonObject[] = [];
  for (const item of patch) {
    const directive = item[DIRECTIVE];
    if (!(DIRECTIVE in item)) changes.push(item);
    else if (directive === "delete") {
      if (!(key in item)) throw noMergeKey(key);
      original = original.filter((other) => other[key] !== item[key]);
    } else if (directive === "replace") replaces = true;
    else if (directive === "merge") throw plainError("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive);
  }
  return replaces ? { original: changes, changes: [] } : { original, changes };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => item === null ? item : withoutNulls(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

/** `value` without directives; `undefined` if it is one itself. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (DIRECTIVE in value) return undefined;
  const members = Object.entries(value).map(([key, member]) => [key, withoutDirectives(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
