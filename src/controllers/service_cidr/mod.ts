import { defineController } from "../running/mod.ts";

/** Keeps ServiceCIDRs as long as addresses of theirs are in use. Not implemented yet. Upstream: `pkg/controller/servicecidrs`. */
export const SERVICE_CIDR_CONTROLLER = defineController({
  name: "service-cidr-controller",
  clientName: "service-cidrs-controller",
  gates: ["MultiCIDRServiceAllocator"],
});
