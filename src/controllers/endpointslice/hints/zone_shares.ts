import { compareUtf8 } from "../../../base/mod.ts";
import { findCondition, type Node, Quantity, TOPOLOGY_ZONE_LABEL } from "../../../api/mod.ts";

/** The part of all nodes' CPU that each zone has, by zone. */
export type ZoneShares = ReadonlyMap<string, number>;

const EXCLUDED_LABELS = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** Whether a node's condition `Ready` is true. */
export function isNodeReady({ status }: Node): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

/**
 * The zones' shares of the CPU of ready nodes outside the control plane, one step per node.
 * Upstream: `k8s.io/endpointslice/topologycache/topologycache.go` (SetNodes).
 *
 * @returns `undefined` if a node has no zone or CPU, or there are fewer than two zones.
 */
export function* zoneShares(nodes: readonly Node[]): Generator<void, ZoneShares | undefined> {
  const zones = new Map<string, Quantity>();
  let total = Quantity.ZERO;
  for (const node of nodes) {
    yield;
    const labels = node.metadata?.labels ?? {};
    if (EXCLUDED_LABELS.some((label) => Object.hasOwn(labels, label)) || !isNodeReady(node)) continue;
    const zone = labels[TOPOLOGY_ZONE_LABEL];
    const cpu = Quantity.parse(node.status?.allocatable?.cpu);
    if (!zone || cpu.isZero) return undefined;
    total = total.add(cpu);
    zones.set(zone, (zones.get(zone) ?? Quantity.ZERO).add(cpu));
  }
  if (total.isZero || zones.size < 2) return undefined;
  const shares = Array.from(zones, ([zone, cpu]) => [zone, milli(cpu) / milli(total)] as const);
  return new Map(shares.sort(([a], [b]) => compareUtf8(a, b)));
}

function milli(cpu: Quantity): number {
  return Number(cpu.milliRoundedUp());
}
