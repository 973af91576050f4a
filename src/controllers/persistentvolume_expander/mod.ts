import { defineController } from "../running/mod.ts";
import { buildExpander, CLIENT_NAME, NAME, QUEUE } from "./controller.ts";
import { DURATIONS } from "./metrics.ts";

/** Expands volumes whose claims request more. Upstream: `pkg/controller/volume/expand`. */
export const PERSISTENTVOLUME_EXPANDER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["persistentvolume-expander"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: [QUEUE],
  metrics: [DURATIONS],
  build: buildExpander,
});
