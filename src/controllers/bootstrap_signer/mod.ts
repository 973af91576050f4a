import { defineController } from "../running/mod.ts";
import { BOOTSTRAP_TOKENS } from "../token_secrets/mod.ts";
import { buildBootstrapSigner, CLIENT_NAME, CLUSTER_INFO, NAME, QUEUE } from "./controller.ts";

/**
 * Signs the ConfigMap `cluster-info` with bootstrap tokens. Upstream: `pkg/controller/bootstrap` (bootstrapsigner.go).
 */
export const BOOTSTRAP_SIGNER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["bootstrapsigner"],
  clientName: CLIENT_NAME,
  enabledByDefault: false,
  queues: [QUEUE],
  needs: { informers: [BOOTSTRAP_TOKENS, CLUSTER_INFO] },
  build: buildBootstrapSigner,
});
