import type { World } from "../../base/mod.ts";
import type { Lease, Node, Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WakingTime } from "../nodes/mod.ts";
import type { NodeHealth } from "./health.ts";
import type { NodeMetrics } from "./metrics.ts";
import type { NodeReleases } from "./releases.ts";

/** The namespace of kubelets' heartbeat leases. */
export const LEASE_NAMESPACE = "kube-node-lease";

/** The options; rates are in nodes per second. */
export interface LifecycleOptions {
  readonly nodeMonitorPeriodMs: number;
  readonly nodeMonitorGracePeriodMs: number;
  readonly nodeStartupGracePeriodMs: number;
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
}

/** The inputs and clients for nodes and pods. */
export interface LifecycleContext {
  /** The controller's name in `--controllers`. */
  readonly name: string;
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch" | "updateStatus">;
  readonly recorder: EventRecorder;
  readonly options: LifecycleOptions;
  readonly time: WakingTime;
  readonly nodes: Pick<Lister<Node>, "get" | "list">;
  readonly pods: Pick<Lister<Pod>, "get">;
  /** Indexed by node. */
  readonly podIndexer: Pick<Indexer<Pod>, "byIndex">;
  /** Of {@link LEASE_NAMESPACE}. */
  readonly leases: Pick<Lister<Lease>, "get">;
  /** The health of each node, by name. */
  readonly healths: Map<string, NodeHealth>;
  /** Names of nodes whose pods could not all be marked. */
  readonly unmarked: Set<string>;
  readonly releases: NodeReleases;
  readonly metrics: NodeMetrics;
}
