/** Ways to nodes' pods where they are looked at when nodes change, which is behind a gate. */
import { NODES } from "../../src/api/mod.ts";
import { addRanged, conclude, untilSaid } from "./cloud_route_scenarios.ts";
import { type CloudScenario, nodeOf, removeNode, untilAsked } from "./cloud_kit.ts";

export const CLOUD_WATCHED_ROUTE_SCENARIOS: readonly CloudScenario[] = [
  {
    name: "cloud-watched-route-of-a-node-that-comes",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a");
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-watched-route-of-a-node-that-goes",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a");
      await addRanged(kit, cloud, "b");
      await untilSaid(kit, "a", "RouteCreated");
      await untilSaid(kit, "b", "RouteCreated");
      await removeNode(kit, "a");
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "a"), times: 2 });
      await kit.untilAll(
        NODES,
        "lead nowhere",
        () => !cloud.routes.some((each) => each.targetNode === nodeOf(kit, "a")),
      );
      // Which ranges it had depends on who came before.
      const asked = cloud.asked.map((each) => each.about === nodeOf(kit, "a") ? { ...each, detail: [] } : each);
      cloud.asked.splice(0, cloud.asked.length, ...asked);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-watched-route-of-a-node-that-gets-its-ranges",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a", { ranges: [] });
      const podCIDRs = [...cloud.nextRanges()];
      await kit.client.patch(NODES, { name: nodeOf(kit, "a") }, {
        type: "strategic",
        body: { spec: { podCIDR: podCIDRs[0], podCIDRs } },
      });
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
];
