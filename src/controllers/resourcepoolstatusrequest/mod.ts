import { defineController } from "../running/mod.ts";
import { buildPoolStatusController, NAME } from "./controller.ts";
import { NAMES } from "./metrics.ts";

/** Answers ResourcePoolStatusRequests. Upstream: `pkg/controller/resourcepoolstatusrequest`. */
export const RESOURCEPOOLSTATUSREQUEST_CONTROLLER = defineController({
  name: NAME,
  gates: ["DRAResourcePoolStatus"],
  metrics: Object.values(NAMES),
  build: buildPoolStatusController,
});
