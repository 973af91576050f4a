import { CLUSTERTRUSTBUNDLES, CLUSTERTRUSTBUNDLES_V1ALPHA1 } from "../../api/mod.ts";
import { defineController } from "../running/mod.ts";
import { buildBundlePublisher, CLIENT_NAME, NAME, QUEUE, ROOT_CA, SCOPE } from "./controller.ts";

/**
 * Publishes the authorities of kube-apiserver as a ClusterTrustBundle. Upstream:
 * `pkg/controller/certificates/clustertrustbundlepublisher`.
 */
export const CLUSTERTRUSTBUNDLE_PUBLISHER_CONTROLLER = defineController({
  name: NAME,
  clientName: CLIENT_NAME,
  gates: ["ClusterTrustBundle"],
  queues: [QUEUE],
  needs: {
    files: [ROOT_CA],
    informers: [{ resource: CLUSTERTRUSTBUNDLES, ...SCOPE }, { resource: CLUSTERTRUSTBUNDLES_V1ALPHA1, ...SCOPE }],
  },
  metrics: ["clustertrustbundle_publisher_sync_duration_seconds", "clustertrustbundle_publisher_sync_total"],
  build: buildBundlePublisher,
});
