import { defineController } from "../running/mod.ts";
import { buildServiceAccountController, CLIENT_NAME, NAME } from "./controller.ts";

export { buildServiceAccountController };

/** Gives every Active namespace its ServiceAccount `default`. Upstream: `pkg/controller/serviceaccount`. */
export const SERVICEACCOUNT_CONTROLLER = defineController({
  name: NAME,
  aliases: ["serviceaccount"],
  clientName: CLIENT_NAME,
  queues: ["serviceaccount"],
  build: (context) => buildServiceAccountController(context),
});
