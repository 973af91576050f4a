import type { Node } from "../../api/mod.ts";

const ZONES = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"] as const;
const REGIONS = ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"] as const;

/**
 * A node's zone as text; empty if it has no region and zone. Deprecated labels win over current ones. A NUL separates
 * the two, because labels cannot contain it.
 * Upstream: `k8s.io/component-helpers/node/topology/helpers.go` (GetZoneKey).
 *
 * @example
 * ```ts
 * import { zoneKeyOf } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const labels = { "topology.kubernetes.io/zone": "b" };
 * assertEquals(zoneKeyOf({ metadata: { name: "n", labels } }), ":\0:b");
 * assertEquals(zoneKeyOf({ metadata: { name: "n" } }), "");
 * ```
 */
export function zoneKeyOf({ metadata }: Node): string {
  const labels = metadata?.labels ?? {};
  const valueOf = ([old, current]: readonly [string, string]) => labels[old] ?? labels[current] ?? "";
  const [region, zone] = [valueOf(REGIONS), valueOf(ZONES)];
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}
