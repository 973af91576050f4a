import { defineController } from "../running/mod.ts";
import { BOOTSTRAP_TOKENS } from "../token_secrets/mod.ts";
import { buildTokenCleaner, CLIENT_NAME, NAME, QUEUE } from "./controller.ts";

/** Deletes expired bootstrap tokens. Upstream: `pkg/controller/bootstrap` (tokencleaner.go). */
export const TOKEN_CLEANER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["tokencleaner"],
  clientName: CLIENT_NAME,
  enabledByDefault: false,
  queues: [QUEUE],
  needs: { informers: [BOOTSTRAP_TOKENS] },
  build: buildTokenCleaner,
});
