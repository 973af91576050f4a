import { defineController } from "../running/mod.ts";

/** Deletes old CertificateSigningRequests. Not implemented yet. Upstream: `pkg/controller/certificates/cleaner`. */
export const CERTIFICATE_CLEANER_CONTROLLER = defineController({
  name: "certificatesigningrequest-cleaner-controller",
  aliases: ["csrcleaner"],
  clientName: "certificate-controller",
});
