import { defineController } from "../running/mod.ts";

/** Has the cloud provider route the ranges of nodes. Not implemented yet. Upstream: `k8s.io/cloud-provider/controllers/route`. */
export const NODE_ROUTE_CONTROLLER = defineController({
  name: "node-route-controller",
  aliases: ["route"],
  clientName: "route-controller",
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  isCloud: true,
});
