import { defineController } from "../running/mod.ts";

/** Initializes nodes with what the cloud provider knows of them. Not implemented yet. Upstream: `k8s.io/cloud-provider/controllers/node`. */
export const CLOUD_NODE_CONTROLLER = defineController({
  name: "cloud-node-controller",
  aliases: ["cloud-node"],
  clientName: "node-controller",
  hosts: ["cloud-controller-manager"],
  isCloud: true,
});
