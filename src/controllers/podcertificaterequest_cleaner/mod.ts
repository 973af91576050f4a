import { defineController } from "../running/mod.ts";
import { buildPodCertificateCleaner, CLIENT_NAME, NAME } from "./controller.ts";

/** Deletes old PodCertificateRequests. Upstream: `pkg/controller/certificates/cleaner/pcrcleaner.go`. */
export const PODCERTIFICATEREQUEST_CLEANER_CONTROLLER = defineController({
  name: NAME,
  clientName: CLIENT_NAME,
  gates: ["PodCertificateRequest"],
  build: buildPodCertificateCleaner,
});
