import { defineController } from "../running/mod.ts";
import { buildRootCaPublisher, CLIENT_NAME, NAME, ROOT_CA } from "./controller.ts";

/**
 * Keeps the ConfigMap `kube-root-ca.crt` in every namespace. Upstream:
 * `pkg/controller/certificates/rootcacertpublisher`.
 */
export const ROOT_CA_PUBLISHER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["root-ca-cert-publisher"],
  clientName: CLIENT_NAME,
  queues: ["root_ca_cert_publisher"],
  needs: { files: [ROOT_CA] },
  metrics: ["root_ca_cert_publisher_sync_duration_seconds", "root_ca_cert_publisher_sync_total"],
  build: buildRootCaPublisher,
});
