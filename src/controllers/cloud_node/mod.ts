import { defineController } from "../running/mod.ts";
import { buildCloudNode, CLIENT_NAME, NAME, QUEUE } from "./controller.ts";
import { METRICS } from "./metrics.ts";

/** Initializes nodes with the cloud provider's metadata. Upstream: `k8s.io/cloud-provider/controllers/node`. */
export const CLOUD_NODE_CONTROLLER = defineController({
  name: NAME,
  aliases: ["cloud-node"],
  clientName: CLIENT_NAME,
  hosts: ["cloud-controller-manager"],
  needs: { cloud: true },
  queues: [QUEUE],
  metrics: METRICS,
  options: {
    workers: {
      flag: "concurrent-node-syncs",
      type: "int32",
      default: 1,
      help: "Nodes to initialize at the same time",
      configz: "NodeController.ConcurrentNodeSyncs",
      objection: (workers: number, flag: string) => workers <= 0 ? `${flag} must be a positive number` : undefined,
    },
    statusWorkers: {
      flag: "concurrent-node-status-updates",
      type: "int32",
      default: 0,
      help: "Nodes whose addresses are compared with the cloud's at the same time; 0 means as --concurrent-node-syncs",
      configz: "NodeController.ConcurrentNodeStatusUpdates",
      objection: (workers: number, flag: string) => workers < 0 ? `${flag} cannot be a negative number` : undefined,
    },
    statusPeriodMs: {
      flag: "node-status-update-frequency",
      type: "duration",
      default: "5m0s",
      help: "How often to compare the addresses of all nodes with the cloud's",
      section: "misc",
      configz: "NodeStatusUpdateFrequency",
    },
  },
  build: buildCloudNode,
});
