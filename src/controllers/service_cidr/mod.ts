import { defineController } from "../running/mod.ts";
import { FINALIZER } from "./actions.ts";
import { buildServiceCidrController, CLIENT_NAME, NAME } from "./controller.ts";

/** Keeps ServiceCIDRs while their addresses are in use. Upstream: `pkg/controller/servicecidrs`. */
export const SERVICE_CIDR_CONTROLLER = defineController({
  name: NAME,
  clientName: CLIENT_NAME,
  gates: ["MultiCIDRServiceAllocator"],
  queues: ["ipaddresses"],
  finalizers: { [FINALIZER]: "no address of the range is in use, or another range covers it" },
  build: buildServiceCidrController,
});
