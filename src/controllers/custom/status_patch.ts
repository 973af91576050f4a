import { deepEqual, isRawNumber } from "../../base/mod.ts";

/**
 * The JSON merge patch that makes `wanted` of `current`: what differs, and null for what `wanted` lacks, since a merge patch
 * leaves alone what it does not name. `undefined` if there is no difference.
 *
 * @example
 * ```ts
 * import { mergePatchBetween } from "./status_patch.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(mergePatchBetween({ phase: "Failed", why: "disk", pods: 2 }, { phase: "Ready", pods: 2 }), {
 *   phase: "Ready",
 *   why: null,
 * });
 * ```
 */
export function mergePatchBetween(current: unknown, wanted: unknown): unknown {
  if (deepEqual(current, wanted)) return undefined;
  if (!isObject(current) || !isObject(wanted)) return wanted;
  const patch = new Map<string, unknown>();
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    const change = mergePatchBetween(Object.hasOwn(current, key) ? current[key] : undefined, value);
    if (change !== undefined) patch.set(key, change);
  }
  for (const key of Object.keys(current)) {
    if (!Object.hasOwn(wanted, key) || wanted[key] === undefined) patch.set(key, null);
  }
  return Object.fromEntries(patch);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
