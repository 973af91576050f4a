import { defineController } from "../running/mod.ts";

/** Deletes nodes that the cloud provider no longer has. Not implemented yet. Upstream: `k8s.io/cloud-provider/controllers/nodelifecycle`. */
export const CLOUD_NODE_LIFECYCLE_CONTROLLER = defineController({
  name: "cloud-node-lifecycle-controller",
  aliases: ["cloud-node-lifecycle"],
  clientName: "node-controller",
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  isCloud: true,
  needs: { cloud: true },
  options: {
    monitorPeriodMs: {
      flag: "node-monitor-period",
      type: "duration",
      default: "5s",
      help: "How often nodes are looked at",
      section: "generic",
      configz: "KubeCloudShared.NodeMonitorPeriod",
    },
  },
});
