import type { Taint } from "../../api/mod.ts";

/** What identifies a taint; its value and time do not. */
export type TaintIdentity = Pick<Taint, "key" | "effect">;

/**
 * Whether a list has a taint, whatever its value. Upstream: `pkg/util/taints/taints.go` (TaintExists), as all of this
 * file.
 */
export function hasTaint(taints: readonly TaintIdentity[] | undefined, wanted: TaintIdentity): boolean {
  return taints?.some((taint) => isSameTaint(taint, wanted)) ?? false;
}

/**
 * A node's taints with additional ones, each in the place of the one it replaces or at the end.
 *
 * @returns `undefined` if all of them are there already.
 */
export function taintsWith(taints: readonly Taint[] = [], added: readonly Taint[]): readonly Taint[] | undefined {
  let result = taints;
  for (const taint of added) {
    const at = result.findIndex((other) => isSameTaint(other, taint));
    if (at < 0) result = [...result, taint];
    else if (!isEqual(result[at], taint)) result = result.with(at, taint);
  }
  return result === taints ? undefined : result;
}

/**
 * A node's taints without some.
 *
 * @returns `undefined` if none of them is there.
 */
export function taintsWithout(
  taints: readonly Taint[] = [],
  removed: readonly TaintIdentity[],
): readonly Taint[] | undefined {
  const kept = taints.filter((taint) => !hasTaint(removed, taint));
  return kept.length === taints.length ? undefined : kept;
}

function isSameTaint(a: TaintIdentity, b: TaintIdentity): boolean {
  return a.key === b.key && a.effect === b.effect;
}

function isEqual(a: Taint, b: Taint): boolean {
  return (a.value ?? "") === (b.value ?? "") && a.timeAdded === b.timeAdded;
}
