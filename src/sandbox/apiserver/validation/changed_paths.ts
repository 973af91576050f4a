import { deepEqual } from "../../../base/mod.ts";
import { isObject } from "../base/mod.ts";

/**
 * The paths of differences, as deep as both values have the same members or length.
 *
 * @example
 * ```ts
 * import { changedPaths } from "./changed_paths.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const before = { nodeName: "a", containers: [{ name: "c", tty: true }] };
 * assertEquals(changedPaths({ nodeName: "b", containers: [{ name: "c" }] }, before, "spec"), [
 *   "spec.nodeName",
 *   "spec.containers[0].tty",
 * ]);
 * ```
 */
export function changedPaths(after: unknown, before: unknown, path: string): string[] {
  if (deepEqual(after, before)) return [];
  if (Array.isArray(after) && Array.isArray(before) && after.length === before.length) {
    return after.flatMap((item, i) => changedPaths(item, before[i], `${path}[${i}]`));
  }
  if (!isObject(after) || !isObject(before)) return [path];
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name) => changedPaths(after[name], before[name], `${path}.${name}`));
}
