import { defineController, NODE_MONITOR_PERIOD, RUNNING_METRIC } from "../running/mod.ts";
import { buildCloudNodeLifecycle, CLIENT_NAME, NAME } from "./controller.ts";

/**
 * Deletes nodes whose machine is gone, and taints those whose machine is stopped. Upstream:
 * `k8s.io/cloud-provider/controllers/nodelifecycle`.
 */
export const CLOUD_NODE_LIFECYCLE_CONTROLLER = defineController({
  name: NAME,
  aliases: ["cloud-node-lifecycle"],
  clientName: CLIENT_NAME,
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  needs: { cloud: true },
  metrics: [RUNNING_METRIC],
  options: {
    monitorPeriodMs: NODE_MONITOR_PERIOD,
  },
  build: buildCloudNodeLifecycle,
});
