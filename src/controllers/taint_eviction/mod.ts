import { defineController } from "../running/mod.ts";

/** Evicts pods from tainted nodes. Not implemented yet. Upstream: `pkg/controller/tainteviction`. */
export const TAINT_EVICTION_CONTROLLER = defineController({
  name: "taint-eviction-controller",
  clientName: "node-controller",
  gates: ["SeparateTaintEvictionController"],
});
