import { defineController } from "../running/mod.ts";

/** Deletes old PodCertificateRequests. Not implemented yet. Upstream: `pkg/controller/certificates/cleaner`. */
export const PODCERTIFICATEREQUEST_CLEANER_CONTROLLER = defineController({
  name: "podcertificaterequest-cleaner-controller",
  clientName: "podcertificaterequestcleaner",
  gates: ["PodCertificateRequest"],
});
