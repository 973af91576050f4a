import { isMap, isObject, type JsonObject } from "../base/mod.ts";
import { appliedFields } from "./applied_fields.ts";
import { asMember, type FieldSet, type FieldSetDraft, intersect, isMember, subtract, union } from "./field_set.ts";
import { itemStep, type ListShape, memberOf, setMember, type Shape, UNTYPED } from "../schema/mod.ts";

/**
 * Removes from a merged object what its applier applied last time but not this time, unless somebody else owns it.
 * Upstream: `structured-merge-diff/merge/update.go` (prune).
 *
 * @param last What the applier owned before.
 * @param owned What all managers own now, including the applier.
 */
export function prune(merged: JsonObject, last: FieldSet, owned: FieldSet | undefined, shape: Shape): JsonObject {
  const wholeLast = withNamedParents(last, shape);
  const everything = withNamedParents(appliedFields(merged, shape), shape);
  const rest = removeFields(merged, wholeLast, shape);
  const kept = union(withNamedParents(appliedFields(rest, shape), shape), withNamedParents(owned, shape));
  const addedBack = removeFields(merged, subtract(everything, kept), shape);
  const left = withNamedParents(appliedFields(addedBack, shape), shape);
  const dropped = intersect(subtract(everything, left), wholeLast);
  const out = removeFields(merged, dropped, shape);
  return isObject(out) ? out : {};
}

/** The set in which each struct field that has members below it is a member, too. */
function withNamedParents(node: FieldSet | undefined, shape: Shape): FieldSet | undefined {
  if (!node) return undefined;
  const out: FieldSetDraft = {};
  if ("." in node) out["."] = node["."];
  for (const step in node) {
    if (step === ".") continue;
    const name = step.slice(2);
    const isField = step.startsWith("f:") && shape.kind === "struct" && shape.hasField(name);
    const below = withNamedParents(node[step], belowStep(shape, step))!;
    out[step] = isField ? asMember(below) : below;
  }
  return out;
}

function belowStep(shape: Shape, step: string): Shape {
  if (step.startsWith("f:")) return memberOf(shape, step.slice(2)).shape;
  return shape.kind === "list" ? shape.item : UNTYPED;
}

/** `value` without `fields`; emptied containers are null. Upstream: `structured-merge-diff/typed/remove.go`. */
function removeFields(value: unknown, fields: FieldSet | undefined, shape: Shape): unknown {
  if (!fields || shape.kind === "scalar") return value;
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return value;
  if (shape.isAtomic) return null;
  if (isList) return shape.kind === "list" ? removeItems(value, fields, shape) : value;
  const out: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const { step, shape: below } = memberOf(shape, name);
    const node = Object.hasOwn(fields, step) ? fields[step] : undefined;
    if (node && isMember(node)) continue;
    const rest = node ? removeFields(member, node, below) : member;
    setMember(out, name, rest);
  }
  return Object.keys(out).length > 0 ? out : null;
}

function removeItems(items: readonly unknown[], fields: FieldSet, shape: ListShape): unknown {
  const out: unknown[] = [];
  for (const each of items) {
    const step = itemStep(each, shape);
    const node = Object.hasOwn(fields, step) ? fields[step] : undefined;
    if (node && isMember(node)) continue;
    out.push(node ? removeFields(each, node, shape.item) : each);
  }
  return out.length > 0 ? out : null;
}
