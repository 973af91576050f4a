import { defineController } from "../running/mod.ts";

/** Deletes expired bootstrap tokens. Not implemented yet. Upstream: `pkg/controller/bootstrap`. */
export const TOKEN_CLEANER_CONTROLLER = defineController({
  name: "token-cleaner-controller",
  aliases: ["tokencleaner"],
  clientName: "token-cleaner",
  enabledByDefault: false,
});
