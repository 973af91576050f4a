import { defineController } from "../running/mod.ts";

/** Answers ResourcePoolStatusRequests. Not implemented yet. Upstream: `pkg/controller/resourcepoolstatusrequest`. */
export const RESOURCEPOOLSTATUSREQUEST_CONTROLLER = defineController({
  name: "resourcepoolstatusrequest-controller",
  gates: ["DRAResourcePoolStatus"],
});
