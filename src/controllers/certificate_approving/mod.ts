import { CLIENT_NAME, QUEUE } from "../certificates/mod.ts";
import { defineController } from "../running/mod.ts";
import { buildApprovingController, NAME } from "./controller.ts";

/** Approves kubelets' requests for client certificates. Upstream: `pkg/controller/certificates/approver`. */
export const CERTIFICATE_APPROVING_CONTROLLER = defineController({
  name: NAME,
  aliases: ["csrapproving"],
  clientName: CLIENT_NAME,
  queues: [QUEUE],
  build: buildApprovingController,
});
