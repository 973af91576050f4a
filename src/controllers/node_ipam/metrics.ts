import type { MetricsRegistry } from "../../base/mod.ts";
import { RUNNING_METRIC } from "../running/mod.ts";

const PREFIX = "node_ipam_controller_";
/** Upstream spells this one differently. */
const NAMES = {
  allocations: `${PREFIX}cidrset_cidrs_allocations_total`,
  releases: `${PREFIX}cidrset_cidrs_releases_total`,
  max: `${PREFIX}cirdset_max_cidrs`,
  usage: `${PREFIX}cidrset_usage_cidrs`,
  tries: `${PREFIX}cidrset_allocation_tries_per_request`,
} as const;

export const METRICS: readonly string[] = [...Object.values(NAMES), RUNNING_METRIC];

/** The metrics of the cluster's ranges. Upstream: `pkg/controller/nodeipam/ipam/cidrset/metrics.go`. */
export interface PoolMetrics {
  /** Records a range's number of blocks. */
  made(range: string, blocks: number): void;
  /** Records how many held blocks were skipped before a free one was found. */
  tried(range: string, passed: number): void;
  /** Records how many more blocks are held, and the resulting usage from 0 to 1. */
  held(range: string, blocks: number, usage: number): void;
  released(range: string, blocks: number, usage: number): void;
}

export function poolMetrics(metrics: MetricsRegistry): PoolMetrics {
  const labels = ["clusterCIDR"];
  const allocations = metrics.counter({
    name: NAMES.allocations,
    help: "Counter measuring total number of CIDR allocations.",
    labels,
  });
  const releases = metrics.counter({
    name: NAMES.releases,
    help: "Counter measuring total number of CIDR releases.",
    labels,
  });
  const max = metrics.gauge({ name: NAMES.max, help: "Maximum number of CIDRs that can be allocated.", labels });
  const usage = metrics.gauge({ name: NAMES.usage, help: "Gauge measuring percentage of allocated CIDRs.", labels });
  const tries = metrics.histogram({
    name: NAMES.tries,
    help: "Number of endpoints added on each Service sync",
    labels,
    buckets: [1, 5, 25, 125, 625],
  });
  return {
    made: (range, blocks) => max.set(blocks, [range]),
    tried: (range, passed) => tries.observe(passed, [range]),
    held: (range, blocks, used) => {
      allocations.inc([range], blocks);
      usage.set(used, [range]);
    },
    released: (range, blocks, used) => {
      releases.inc([range], blocks);
      usage.set(used, [range]);
    },
  };
}
