/** Nodes that get their ranges from the manager that has the cloud, and everything else from the cloud. */
import { conclude, untilSaid } from "./cloud_route_scenarios.ts";
import { addMachine, type CloudScenario, untilInitialized, untilNode } from "./cloud_kit.ts";

export const CLOUD_RANGE_SCENARIOS: readonly CloudScenario[] = [
  {
    name: "cloud-range-of-a-new-machine",
    run: async (kit, cloud) => {
      await addMachine(kit, cloud, "a");
      await untilInitialized(kit, "a");
      await untilNode(kit, "a", "has ranges", ({ spec }) => spec?.podCIDRs?.length === 2);
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-range-that-a-machine-has",
    run: async (kit, cloud) => {
      const podCIDRs = [...cloud.nextRanges()];
      await addMachine(kit, cloud, "a", { spec: { podCIDR: podCIDRs[0], podCIDRs } });
      await untilInitialized(kit, "a");
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
];
