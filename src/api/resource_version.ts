const WELL_FORMED = /^[1-9]\d*$/;

/**
 * Orders two resource versions of one resource: negative if `a` is older, 0 if they are the same, positive if `a` is
 * newer; `undefined` if either is not a positive decimal number without leading zeros. There is no limit on the length.
 * Upstream: `k8s.io/apimachinery/pkg/util/resourceversion` (CompareResourceVersion).
 *
 * @example
 * ```ts
 * import { compareResourceVersions } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(compareResourceVersions("9", "10"), -1);
 * assertEquals(compareResourceVersions("", "10"), undefined);
 * ```
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!WELL_FORMED.test(a) || !WELL_FORMED.test(b)) return undefined;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
