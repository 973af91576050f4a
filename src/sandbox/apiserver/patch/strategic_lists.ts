import { type ApiError, isObject, plainError } from "../base/mod.ts";
import { typeName } from "../schema/mod.ts";

/**
 * Whether the items are objects rather than scalars; they must all be alike.
 *
 * @throws {ApiError} 500, as upstream, if they are mixed or lists.
 */
export function areObjects(items: readonly unknown[]): boolean {
  const types = new Set(items.map(typeName));
  if (types.has("a list")) throw plainError("lists of lists are not supported");
  if (types.size > 1) throw plainError(`list element types are not identical: ${[...types].join(", ")}`);
  return types.has("an object");
}

/** The distinct values of both lists, in the patch's order. */
export function mergeScalars(old: readonly unknown[], patch: readonly unknown[]): unknown[] {
  return inOrder([...new Set([...old, ...patch])], { wanted: patch, before: old, mergeKey: "" });
}

function nameOf(item: unknown, mergeKey: string): unknown {
  return mergeKey !== "" && isObject(item) ? item[mergeKey] : item;
}

/**
 * Checks that the patch sets an order for all of its items and lists them in that order.
 *
 * @throws {ApiError} 500, as upstream, if it does not.
 */
export function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = patch.filter((item) => !(isObject(item) && "$patch" in item));
  let next = 0;
  for (const wanted of order) {
    if (next === items.length) break;
    for (const item of [items[next], wanted]) requireKey(item, mergeKey);
    if (nameOf(items[next], mergeKey) === nameOf(wanted, mergeKey)) next++;
  }
  if (next === items.length) return;
  throw plainError("The order in patch list: it is not that of $setElementOrder");
}

function requireKey(item: unknown, mergeKey: string): void {
  if (mergeKey === "") return;
  if (!isObject(item)) throw plainError(`expected an object, but received ${typeName(item)}`);
  if (!(mergeKey in item)) throw noMergeKey(mergeKey);
}

export function noMergeKey(key: string): ApiError {
  return plainError(`map: an item does not contain declared merge key: ${key}`);
}

/**
 * Orders elements: those that the patch names as it does, the others as before. If neither order decides between two
 * elements, the patch's comes first. Upstream: normalizeElementOrder.
 */
export function inOrder(
  list: readonly unknown[],
  { wanted, before, mergeKey }: {
    readonly wanted: readonly unknown[];
    readonly before: readonly unknown[];
    readonly mergeKey: string;
  },
): unknown[] {
  const wantedAt = placesOf(wanted, mergeKey);
  const beforeAt = placesOf(before, mergeKey);
  const named: Placed[] = [];
  const others: Placed[] = [];
  for (const item of list) {
    const name = nameOf(item, mergeKey);
    const placed = { item, wanted: wantedAt.get(name) ?? -1, before: beforeAt.get(name) ?? -1 };
    (placed.wanted >= 0 ? named : others).push(placed);
  }
  named.sort((a, b) => a.wanted - b.wanted);
  others.sort((a, b) => a.before - b.before);
  const out: unknown[] = [];
  let next = 0;
  for (const { item, before: left } of others) {
    while (next < named.length && !(left >= 0 && named[next].before >= 0 && left < named[next].before)) {
      out.push(named[next++].item);
    }
    out.push(item);
  }
  return [...out, ...named.slice(next).map(({ item }) => item)];
}

interface Placed {
  readonly item: unknown;
  readonly wanted: number;
  readonly before: number;
}

/** The first position of each element. */
function placesOf(list: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [i, item] of list.entries()) {
    const name = nameOf(item, mergeKey);
    if (!places.has(name)) places.set(name, i);
  }
  return places;
}
