import { CLIENT_NAME } from "../certificates/mod.ts";
import { defineController } from "../running/mod.ts";
import { buildCleaner, NAME } from "./controller.ts";

/** Deletes old CertificateSigningRequests. Upstream: `pkg/controller/certificates/cleaner/cleaner.go`. */
export const CERTIFICATE_CLEANER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["csrcleaner"],
  clientName: CLIENT_NAME,
  build: buildCleaner,
});
