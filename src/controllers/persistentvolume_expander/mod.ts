import { defineController } from "../running/mod.ts";

/** Has volumes expanded whose claims ask for more. Not implemented yet. Upstream: `pkg/controller/volume/expand`. */
export const PERSISTENTVOLUME_EXPANDER_CONTROLLER = defineController({
  name: "persistentvolume-expander-controller",
  aliases: ["persistentvolume-expander"],
  clientName: "expand-controller",
});
