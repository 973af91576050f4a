import { deepEqual } from "../base/mod.ts";

/** Bookkeeping that changes with every write. */
const DULL = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);
/** The depth to which fields are compared. */
const DEPTH = 3;

/**
 * The fields in which two objects differ, three levels deep, with their values if they are short.
 *
 * @example
 * ```ts
 * import { changedPaths } from "./changed_paths.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const before = { spec: { replicas: 1, paused: true } };
 * assertEquals(changedPaths(before, { spec: { replicas: 2 } }), ["spec.paused=true -> absent", "spec.replicas=1 -> 2"]);
 * ```
 */
export function changedPaths(before: unknown, after: unknown, path: readonly string[] = []): string[] {
  if (deepEqual(before, after) || DULL.has(path.join("."))) return [];
  if (path.length === DEPTH || !isRecord(before) || !isRecord(after)) {
    return [`${path.join(".")}=${short(before)} -> ${short(after)}`];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => changedPaths(before[name], after[name], [...path, name]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : Array.isArray(value) ? `[${value.length}]` : `${text.slice(0, 37)}...`;
}
