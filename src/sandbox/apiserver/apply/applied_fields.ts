import { isRawNumber } from "../../../base/mod.ts";
import { isMap, isObject, type JsonObject } from "../base/mod.ts";
import { asMember, type FieldSet, type FieldSetDraft, LEAF, sorted, stepText } from "./field_set.ts";
import { itemStep, keyValue, type ListShape, memberOf, type Shape, typeName } from "../schema/mod.ts";

/**
 * The paths that an applier of `value` owns: leaves, list items and map members; `undefined` if there are none.
 * Upstream: `structured-merge-diff/typed/tofieldset.go`.
 */
export function appliedFields(value: unknown, shape: Shape): FieldSet | undefined {
  if (shape.kind === "scalar" || shape.isAtomic) return LEAF;
  if (shape.kind === "list") return Array.isArray(value) ? appliedItems(value, shape) : undefined;
  if (!isMap(value)) return shape.kind === "untyped" && value !== null ? LEAF : undefined;
  const out: FieldSetDraft = {};
  for (const [name, member] of Object.entries(value)) {
    const { step, shape: below } = memberOf(shape, name);
    const node = appliedFields(member, below);
    const isEmpty = member === null || (isObject(member) && Object.keys(member).length === 0);
    const isNamed = shape.kind === "struct" && shape.hasField(name);
    const whole = isEmpty || !isNamed ? asMember(node ?? LEAF) : node;
    if (whole) out[step] = whole;
  }
  return Object.keys(out).length > 0 ? sorted(out) : undefined;
}

function appliedItems(items: readonly unknown[], shape: ListShape): FieldSet | undefined {
  const out: FieldSetDraft = {};
  for (const each of items) out[itemStep(each, shape)] = asMember(appliedFields(each, shape.item) ?? LEAF);
  return items.length > 0 ? sorted(out) : undefined;
}

/** Why a value cannot be applied, with paths. Upstream: `structured-merge-diff/typed/validate.go`. */
export function misfits(value: unknown, shape: Shape, path = ""): string[] {
  if (value === null || value === undefined) return [];
  if (shape.kind === "untyped") return [];
  if (shape.kind === "scalar") {
    const why = scalarMisfit(value, shape.scalar);
    return why ? [`${path}: ${why}`] : [];
  }
  if (shape.kind === "list") {
    return Array.isArray(value) ? itemMisfits(value, shape, path) : [`${path}: expected list, got ${typeName(value)}`];
  }
  return isMap(value) ? memberMisfits(value, shape, path) : [`${path}: expected map, got ${typeName(value)}`];
}

function memberMisfits(value: JsonObject, shape: Shape, path: string): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const { step, shape: below } = memberOf(shape, name);
    const at = path + stepText(step);
    if (shape.kind === "struct" && !shape.isOpen && !shape.hasField(name)) {
      return [`${at}: field not declared in schema`];
    }
    return misfits(member, below, at);
  });
}

function itemMisfits(items: readonly unknown[], shape: ListShape, path: string): string[] {
  const seen = new Set<string>();
  return items.flatMap((each, i) => {
    if (shape.isAtomic) return misfits(each, shape.item, `${path}[${i}]`);
    const why = keyMisfit(each, shape);
    if (why) return [`${path}: element ${i}: ${why}`];
    const step = stepText(itemStep(each, shape));
    if (seen.has(step)) return [`${path}: duplicate entries for key ${step}`];
    seen.add(step);
    return misfits(each, shape.item, path + step);
  });
}

/** Why an item cannot be told apart from others. */
function keyMisfit(item: unknown, shape: ListShape): string | undefined {
  const { keys } = shape;
  if (!keys) return typeof item === "object" && !isRawNumber(item) ? "an item of a set must be a scalar" : undefined;
  if (!isMap(item)) return "an item of a list with keys must be an object";
  const hasKey = keys.some((key) => keyValue(item, key, shape) !== undefined);
  return hasKey ? undefined : `an item must have one of the keys ${keys.join(", ")}`;
}

function scalarMisfit(value: unknown, scalar: string): string | undefined {
  const isNumber = typeof value === "number" || isRawNumber(value);
  const expected = (what: string, fits: boolean) => fits ? undefined : `expected ${what}, got ${typeName(value)}`;
  switch (scalar) {
    case "int32":
    case "int64":
    case "number":
      return expected("numeric (int or float)", isNumber);
    case "string":
    case "bytes":
      return expected("string", typeof value === "string");
    case "boolean":
      return expected("boolean", typeof value === "boolean");
  }
  return expected("any scalar", typeof value !== "object" || isNumber);
}
