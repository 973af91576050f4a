import { CLUSTER_NAME, CLUSTER_RANGES, defineController } from "../running/mod.ts";
import { buildNodeRoute, CLIENT_NAME, NAME, QUEUE } from "./controller.ts";
import { METRICS } from "./metrics.ts";

const SHARED = { section: "generic" } as const;

/** Manages the cloud provider's routes to nodes' ranges. Upstream: `k8s.io/cloud-provider/controllers/route`. */
export const NODE_ROUTE_CONTROLLER = defineController({
  name: NAME,
  aliases: ["route"],
  clientName: CLIENT_NAME,
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  needs: { cloud: true },
  queues: [QUEUE],
  metrics: METRICS,
  options: {
    configures: {
      ...SHARED,
      flag: "configure-cloud-routes",
      type: "bool",
      default: true,
      help: "Create a route in the cloud for each node's range",
      configz: "KubeCloudShared.ConfigureCloudRoutes",
    },
    periodMs: {
      ...SHARED,
      flag: "route-reconciliation-period",
      type: "duration",
      default: "10s",
      help: "How often to compare the nodes' routes with the cloud's",
      configz: "KubeCloudShared.RouteReconciliationPeriod",
    },
    clusterName: CLUSTER_NAME,
    clusterRanges: CLUSTER_RANGES,
  },
  build: buildNodeRoute,
});
