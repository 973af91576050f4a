import { numberText } from "../../base/mod.ts";
import type { Taint, Toleration } from "../../api/mod.ts";
import { tolerates } from "../../rules/mod.ts";
import { secondsAsGoMs } from "../pods/mod.ts";

/**
 * How many milliseconds a pod may stay on a node with these taints: `Infinity` means for ever, `undefined` not at all,
 * because it does not tolerate one of them. If several tolerations match a taint, the first one counts. Upstream:
 * `pkg/controller/tainteviction/taint_eviction.go` (getMinTolerationTime), `pkg/apis/core/v1/helper/helpers.go`
 * (GetMatchingTolerations).
 *
 * @param taints At least one.
 *
 * @example
 * ```ts
 * import { toleratedMs } from "./toleration_time.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const taint = { key: "k", effect: "NoExecute" };
 * assertEquals(toleratedMs([taint], [{ key: "k", operator: "Exists", tolerationSeconds: 30 }]), 30_000);
 * assertEquals(toleratedMs([taint], [{ operator: "Exists" }]), Infinity);
 * assertEquals(toleratedMs([taint], undefined), undefined);
 * ```
 */
export function toleratedMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): number | undefined {
  let least = Infinity;
  for (const taint of taints) {
    const used = tolerations?.find((toleration) => tolerates(toleration, taint));
    if (!used) return undefined;
    least = Math.min(least, secondsAsMs(used.tolerationSeconds));
  }
  return least;
}

function secondsAsMs(seconds: number | undefined): number {
  if (seconds === undefined) return Infinity;
  if (numberText(seconds).startsWith("-")) return 0;
  const ms = secondsAsGoMs(seconds);
  // Upstream counts nanoseconds in 64 bits; a value that overflows below zero means for ever.
  return ms < 0 ? Infinity : ms;
}
