import { FakeClock, MetricsRegistry, parseMetrics, TurnBudget } from "../../../../src/base/mod.ts";
import type { Node } from "../../../../src/api/mod.ts";
import { DividedRange, parseCidr } from "../../../../src/controllers/address_ranges/mod.ts";
import { CidrPool } from "../../../../src/controllers/node_ipam/cidr_pool.ts";
import { poolMetrics } from "../../../../src/controllers/node_ipam/metrics.ts";
import { NodeRanges } from "../../../../src/controllers/node_ipam/node_ranges.ts";

export function node(name: string, podCIDRs?: readonly string[], more: Node["metadata"] = {}): Node {
  const spec = podCIDRs && { podCIDR: podCIDRs[0], podCIDRs: [...podCIDRs] };
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: `uid-of-${name}`, ...more }, spec };
}

/** Ranges that are divided as `10.0.0.0/8 in /24` says. */
export function rangesOf(texts: readonly string[], metrics = new MetricsRegistry()): NodeRanges {
  const measured = poolMetrics(metrics);
  return new NodeRanges(texts.map((text) => {
    const [whole, prefix] = text.split(" in /");
    return new CidrPool(new DividedRange(parseCidr(whole), Number(prefix)), measured);
  }));
}

export function filled(ranges: NodeRanges, ...nodes: Node[]): Promise<void> {
  return ranges.fill(() => Promise.resolve(nodes), new TurnBudget(new FakeClock()));
}

/** The samples of the controller's metrics, without what they all begin with. */
export function samplesOf(metrics: MetricsRegistry): Record<string, number> {
  return Object.fromEntries(
    parseMetrics(metrics.render()).flatMap(({ samples }) => samples)
      .filter(({ name }) => name.startsWith("node_ipam_controller_") && !name.endsWith("_bucket"))
      .map(({ name, value }) => [name.replace("node_ipam_controller_", ""), value]),
  );
}
