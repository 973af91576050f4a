import { defineController } from "../running/mod.ts";

/** Signs the ConfigMap `cluster-info` with bootstrap tokens. Not implemented yet. Upstream: `pkg/controller/bootstrap`. */
export const BOOTSTRAP_SIGNER_CONTROLLER = defineController({
  name: "bootstrap-signer-controller",
  aliases: ["bootstrapsigner"],
  clientName: "bootstrap-signer",
  enabledByDefault: false,
});
