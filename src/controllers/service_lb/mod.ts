import { defineController } from "../running/mod.ts";

/** Has the cloud provider balance the load of Services. Not implemented yet. Upstream: `k8s.io/cloud-provider/controllers/service`. */
export const SERVICE_LB_CONTROLLER = defineController({
  name: "service-lb-controller",
  aliases: ["service"],
  clientName: "service-controller",
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  isCloud: true,
  needs: { cloud: true },
  options: {
    workers: {
      flag: "concurrent-service-syncs",
      type: "int32",
      default: 1,
      help: "Services worked on at a time",
      configz: "ServiceController.ConcurrentServiceSyncs",
    },
    clusterName: {
      flag: "cluster-name",
      type: "string",
      default: "kubernetes",
      help: "What the cluster is called",
      section: "generic",
      configz: "KubeCloudShared.ClusterName",
    },
  },
});
