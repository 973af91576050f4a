import { CLIENT_NAME, QUEUE } from "../certificates/mod.ts";
import { defineController } from "../running/mod.ts";
import { buildSigningController, NAME } from "./controller.ts";
import { CERT_FLAGS, FILES, KEY_FLAGS, objections } from "./options.ts";

/** Signs approved CertificateSigningRequests. Upstream: `pkg/controller/certificates/signer`. */
export const CERTIFICATE_SIGNING_CONTROLLER = defineController({
  name: NAME,
  aliases: ["csrsigning"],
  clientName: CLIENT_NAME,
  queues: [QUEUE],
  needs: { files: CERT_FLAGS, keys: KEY_FLAGS },
  options: {
    ...FILES,
    durationMs: {
      flag: "cluster-signing-duration",
      type: "duration",
      default: "8760h0m0s",
      help: "Longest validity of a signed certificate",
      configz: "CSRSigningController.ClusterSigningDuration",
    },
  },
  objections,
  build: buildSigningController,
});
