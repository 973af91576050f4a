import { defineController } from "../running/mod.ts";

/** Says on each node for how long kubelets may cache what pods use. Not implemented yet. Upstream: `pkg/controller/ttl`. */
export const TTL_CONTROLLER = defineController({
  name: "ttl-controller",
  aliases: ["ttl"],
});
