import { isRawNumber, numberText } from "../../base/mod.ts";
import { type DeviceTaint, type DeviceToleration, parseTime } from "../../api/mod.ts";
import { tolerates } from "../../rules/mod.ts";

/** More seconds than durations in upstream's code can hold, 292 years. */
const FOREVER_SECONDS = 9_223_372_036;

/**
 * When to evict a device's user for a taint, by the wall clock in milliseconds: `undefined` never, `Infinity` so late
 * that nobody will see it. The shortest of several tolerations counts. One without an effect tolerates no eviction.
 * Upstream: `pkg/controller/devicetainteviction/device_taint_eviction.go` (claimEvictionTime), where a toleration of
 * more than 292 years wraps around and may evict at once.
 *
 * @example
 * ```ts
 * import { evictionTimeMs } from "./eviction_time.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const taint = { key: "k", effect: "NoExecute", timeAdded: "1970-01-01T00:01:00Z" };
 * assertEquals(evictionTimeMs(taint, []), 60_000);
 * const toleration = { key: "k", operator: "Exists", effect: "NoExecute" };
 * assertEquals(evictionTimeMs(taint, [{ ...toleration, tolerationSeconds: 30 }]), 90_000);
 * assertEquals(evictionTimeMs(taint, [toleration]), undefined);
 * ```
 */
export function evictionTimeMs(
  taint: DeviceTaint,
  tolerations: readonly DeviceToleration[] | undefined,
): number | undefined {
  if (!taint.timeAdded) return undefined; // the API server always sets it
  let leastMs: number | undefined;
  for (const toleration of tolerations ?? []) {
    if (toleration.effect !== "NoExecute" || !tolerates(toleration, taint)) continue;
    if (toleration.tolerationSeconds === undefined) return undefined;
    leastMs = Math.min(leastMs ?? Infinity, toleratedMs(toleration.tolerationSeconds));
  }
  return parseTime(taint.timeAdded) + (leastMs ?? 0);
}

function toleratedMs(seconds: number): number {
  if (numberText(seconds).startsWith("-")) return 0;
  return isRawNumber(seconds) || seconds > FOREVER_SECONDS ? Infinity : seconds * 1000;
}
