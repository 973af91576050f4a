import { deepEqual } from "../../../base/mod.ts";
import { isMap, type JsonObject } from "../base/mod.ts";
import { type FieldSet, type FieldSetDraft, LEAF, sorted } from "./field_set.ts";
import { itemStep, type ListShape, memberOf, type Shape } from "../schema/mod.ts";

/** What differs between two values. `undefined` stands for no paths. */
export interface Difference {
  /** Paths that are new or whose value changed. */
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

const NONE: Difference = { changed: undefined, removed: undefined };
const CHANGED: Difference = { changed: LEAF, removed: undefined };

/**
 * Compares two values of a shape. A container that only one side has counts as a path itself, besides its contents.
 * Upstream: `structured-merge-diff/typed/compare.go`.
 *
 * @param old `undefined` if there was nothing.
 * @param value `undefined` if it was removed.
 */
export function compare(old: unknown, value: unknown, shape: Shape): Difference {
  if (old === value) return NONE;
  if (old === undefined) return { changed: allPaths(value, shape), removed: undefined };
  if (value === undefined) return { changed: undefined, removed: allPaths(old, shape) };
  if (shape.kind === "scalar" || shape.isAtomic) return compareWhole(old, value);
  if (shape.kind === "list") {
    const before = listOf(old);
    const after = listOf(value);
    return before || after ? compareLists(before ?? [], after ?? [], shape) : compareWhole(old, value);
  }
  // Members of a map on one side were added or removed.
  if (shape.kind === "untyped" && isMap(old) !== isMap(value)) {
    return isMap(old)
      ? { changed: LEAF, removed: allPaths(old, shape) }
      : { changed: allPaths(value, shape), removed: undefined };
  }
  const before = mapOf(old);
  const after = mapOf(value);
  return before || after ? compareMaps(before ?? {}, after ?? {}, shape) : compareWhole(old, value);
}

function compareWhole(old: unknown, value: unknown): Difference {
  return deepEqual(old, value) ? NONE : CHANGED;
}

/** The path of a new value and all paths below it. */
function allPaths(value: unknown, shape: Shape): FieldSet {
  if (shape.kind === "scalar" || shape.isAtomic) return LEAF;
  if (shape.kind === "list") return Array.isArray(value) && value.length > 0 ? itemPaths(value, shape) : LEAF;
  if (!isMap(value)) return LEAF;
  const out: FieldSetDraft = {};
  let isEmpty = true;
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    if (isEmpty) out["."] = LEAF;
    isEmpty = false;
    const { step, shape: below } = memberOf(shape, name);
    out[step] = allPaths(member, below);
  }
  return isEmpty ? LEAF : sorted(out);
}

function itemPaths(items: readonly unknown[], shape: ListShape): FieldSet {
  const out: FieldSetDraft = { ".": LEAF };
  const seen = new Set<string>();
  for (const each of items) {
    const step = itemStep(each, shape);
    // Duplicates cannot be told apart, so they count as one.
    out[step] = seen.has(step) ? LEAF : allPaths(each, shape.item);
    seen.add(step);
  }
  return sorted(out);
}

function mapOf(value: unknown): JsonObject | undefined {
  if (!isMap(value)) return undefined;
  for (const _name in value) return value;
  return undefined;
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function compareMaps(old: JsonObject, value: JsonObject, shape: Shape): Difference {
  const changed = new Draft();
  const removed = new Draft();
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const before = Object.hasOwn(old, name) ? old[name] : undefined;
    if (before === member) continue;
    const { step, shape: below } = memberOf(shape, name);
    const difference = compare(before, member, below);
    changed.add(step, difference.changed);
    removed.add(step, difference.removed);
  }
  for (const name in old) {
    if (old[name] === undefined || (Object.hasOwn(value, name) && value[name] !== undefined)) continue;
    const { step, shape: below } = memberOf(shape, name);
    removed.add(step, allPaths(old[name], below));
  }
  return { changed: changed.set, removed: removed.set };
}

function compareLists(old: readonly unknown[], value: readonly unknown[], shape: ListShape): Difference {
  const before = byStep(old, shape);
  const after = byStep(value, shape);
  const changed = new Draft();
  const removed = new Draft();
  for (const [step, items] of after) {
    const difference = compareItems(before.get(step) ?? [], items, shape.item);
    changed.add(step, difference.changed);
    removed.add(step, difference.removed);
  }
  for (const [step, items] of before) {
    if (!after.has(step)) removed.add(step, items.length > 1 ? LEAF : allPaths(items[0], shape.item));
  }
  return { changed: changed.set, removed: removed.set };
}

/** Compares items with the same key: one on each side, unless there are duplicates. */
function compareItems(before: readonly unknown[], after: readonly unknown[], shape: Shape): Difference {
  if (before.length <= 1 && after.length <= 1) return compare(before[0], after[0], shape);
  if (before.length > 1 && after.length > 1) return compareWhole(before, after);
  if (before.length > 1) return { changed: allPaths(after[0], shape), removed: LEAF };
  return { changed: LEAF, removed: before.length === 0 ? undefined : allPaths(before[0], shape) };
}

function byStep(items: readonly unknown[], shape: ListShape): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const step = itemStep(item, shape);
    const same = found.get(step);
    if (same) same.push(item);
    else found.set(step, [item]);
  }
  return found;
}

/** A set that stays `undefined` until it gets a member. */
class Draft {
  #steps: FieldSetDraft | undefined;

  add(step: string, node: FieldSet | undefined): void {
    if (node) (this.#steps ??= {})[step] = node;
  }

  get set(): FieldSet | undefined {
    return this.#steps && sorted(this.#steps);
  }
}
