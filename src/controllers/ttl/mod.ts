import { defineController } from "../running/mod.ts";
import { buildTtlController, NAME } from "./controller.ts";

/** Annotates each node with how long kubelets may cache what pods use. Upstream: `pkg/controller/ttl`. */
export const TTL_CONTROLLER = defineController({
  name: NAME,
  aliases: ["ttl"],
  group: "workloads",
  queues: ["ttlcontroller"],
  build: buildTtlController,
});
