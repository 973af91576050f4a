import { defineController, notPositive } from "../running/mod.ts";
import { buildDeploymentController, NAME } from "./controller.ts";

/** Drives the ReplicaSets of each Deployment. Upstream: `pkg/controller/deployment`. */
export const DEPLOYMENT_CONTROLLER = defineController({
  name: NAME,
  aliases: ["deployment"],
  group: "workloads",
  queues: ["deployment"],
  options: {
    workers: {
      flag: "concurrent-deployment-syncs",
      type: "int32",
      default: 5,
      help: "Deployments to process at the same time",
      configz: "DeploymentController.ConcurrentDeploymentSyncs",
      objection: notPositive,
    },
  },
  build: buildDeploymentController,
});
