import { deepEqual, isContainer } from "../../base/mod.ts";

/**
 * The JSON merge patch that turns `current` into `wanted`: the fields that differ, and null for those that `wanted`
 * lacks, since a merge patch leaves unnamed fields alone. `undefined` if there is no difference.
 *
 * @example
 * ```ts
 * import { mergePatchBetween } from "./status.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(mergePatchBetween({ phase: "Failed", why: "disk", pods: 2 }, { phase: "Ready", pods: 2 }), {
 *   phase: "Ready",
 *   why: null,
 * });
 * ```
 */
export function mergePatchBetween(current: unknown, wanted: unknown): unknown {
  if (!isObject(current) || !isObject(wanted)) return deepEqual(current, wanted) ? undefined : wanted;
  const root: Difference = { current, wanted, patch: new Map() };
  const differences = [root];
  for (const difference of differences) {
    for (const inside of compare(difference)) differences.push(inside);
  }
  // From the inside out: inner values come after the values that contain them.
  for (const { patch, parent, key } of differences.reverse()) {
    if (patch.size > 0) parent?.patch.set(key!, Object.fromEntries(patch));
  }
  return root.patch.size > 0 ? Object.fromEntries(root.patch) : undefined;
}

/** Two objects at the same path. */
interface Difference {
  readonly current: JsonObject;
  readonly wanted: JsonObject;
  readonly patch: Map<string, unknown>;
  readonly parent?: Difference;
  /** Its key in its parent. */
  readonly key?: string;
}

/** Records the members that differ, except those that are objects in both, which it returns. */
function compare(parent: Difference): Difference[] {
  const { current, wanted, patch } = parent;
  const inside: Difference[] = [];
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    const before = Object.hasOwn(current, key) ? current[key] : undefined;
    if (isObject(before) && isObject(value)) {
      inside.push({ current: before, wanted: value, patch: new Map(), parent, key });
    } else if (!deepEqual(before, value)) patch.set(key, value);
  }
  for (const key of Object.keys(current)) {
    if (!Object.hasOwn(wanted, key) || wanted[key] === undefined) patch.set(key, null);
  }
  return inside;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}
