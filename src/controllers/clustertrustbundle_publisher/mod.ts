import { defineController } from "../running/mod.ts";

/** Publishes the authorities of kube-apiserver as a ClusterTrustBundle. Not implemented yet. Upstream: `pkg/controller/certificates/clustertrustbundlepublisher`. */
export const CLUSTERTRUSTBUNDLE_PUBLISHER_CONTROLLER = defineController({
  name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
  clientName: "kube-apiserver-serving-clustertrustbundle-publisher",
  gates: ["ClusterTrustBundle"],
});
