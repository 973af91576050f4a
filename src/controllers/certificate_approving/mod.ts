import { defineController } from "../running/mod.ts";

/** Approves the CertificateSigningRequests of kubelets. Not implemented yet. Upstream: `pkg/controller/certificates/approver`. */
export const CERTIFICATE_APPROVING_CONTROLLER = defineController({
  name: "certificatesigningrequest-approving-controller",
  aliases: ["csrapproving"],
  clientName: "certificate-controller",
});
