import { CLUSTER_NAME, defineController } from "../running/mod.ts";
import { buildServiceLbController, CLIENT_NAME, NAME, QUEUES } from "./controller.ts";
import { METRICS } from "./metrics.ts";
import { FINALIZER } from "./wants.ts";

/** Manages the cloud provider's load balancers for Services. Upstream: `k8s.io/cloud-provider/controllers/service`. */
export const SERVICE_LB_CONTROLLER = defineController({
  name: NAME,
  aliases: ["service"],
  clientName: CLIENT_NAME,
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  needs: { cloud: true },
  queues: Object.values(QUEUES),
  finalizers: { [FINALIZER]: "the cloud's load balancer has been deleted" },
  metrics: METRICS,
  options: {
    workers: {
      flag: "concurrent-service-syncs",
      type: "int32",
      default: 1,
      help: "Services to process at the same time",
      configz: "ServiceController.ConcurrentServiceSyncs",
    },
    clusterName: CLUSTER_NAME,
  },
  build: buildServiceLbController,
});
