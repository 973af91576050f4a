import { LEASES } from "../../api/mod.ts";
import { defineController, NODE_MONITOR_PERIOD } from "../running/mod.ts";
import { LEASE_NAMESPACE } from "./context.ts";
import { buildNodeLifecycleController, CLIENT_NAME, NAME } from "./controller.ts";

/** Monitors the health of nodes and taints unhealthy ones. Upstream: `pkg/controller/nodelifecycle`. */
export const NODE_LIFECYCLE_CONTROLLER = defineController({
  name: NAME,
  aliases: ["nodelifecycle"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["node_lifecycle_controller", "node_lifecycle_controller_pods"],
  needs: { informers: [{ resource: LEASES, namespace: LEASE_NAMESPACE }] },
  metrics: [
    "node_collector_evictions_total",
    "node_collector_unhealthy_nodes_in_zone",
    "node_collector_update_all_nodes_health_duration_seconds",
    "node_collector_update_node_health_duration_seconds",
    "node_collector_zone_health",
    "node_collector_zone_size",
  ],
  options: {
    nodeMonitorPeriodMs: NODE_MONITOR_PERIOD,
    nodeEvictionRate: {
      flag: "node-eviction-rate",
      type: "float32",
      default: 0.1,
      help: "Nodes per second whose pods are evicted while their zone is healthy",
      configz: "NodeLifecycleController.NodeEvictionRate",
    },
    secondaryNodeEvictionRate: {
      flag: "secondary-node-eviction-rate",
      type: "float32",
      default: 0.01,
      help: "Nodes per second whose pods are evicted while their zone is unhealthy",
      configz: "NodeLifecycleController.SecondaryNodeEvictionRate",
    },
    nodeStartupGracePeriodMs: {
      flag: "node-startup-grace-period",
      type: "duration",
      default: "1m0s",
      help: "How long a starting node may be silent before it counts as unhealthy",
      configz: "NodeLifecycleController.NodeStartupGracePeriod",
    },
    nodeMonitorGracePeriodMs: {
      flag: "node-monitor-grace-period",
      type: "duration",
      default: "50s",
      help: "How long a node may be silent before it counts as unhealthy",
      configz: "NodeLifecycleController.NodeMonitorGracePeriod",
    },
    podEvictionTimeout: { fixed: "0s", configz: "NodeLifecycleController.PodEvictionTimeout" },
    largeClusterSizeThreshold: {
      flag: "large-cluster-size-threshold",
      type: "int32",
      default: 50,
      help: "Zones with at most this many nodes are small: nothing is evicted there while they are unhealthy",
      configz: "NodeLifecycleController.LargeClusterSizeThreshold",
    },
    unhealthyZoneThreshold: {
      flag: "unhealthy-zone-threshold",
      type: "float32",
      default: 0.55,
      help:
        "Share of a zone's nodes, and at least three of them, that must be not ready for the zone to count as unhealthy",
      configz: "NodeLifecycleController.UnhealthyZoneThreshold",
    },
  },
  build: buildNodeLifecycleController,
});
