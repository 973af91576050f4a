/** Ways to nodes' pods through a cloud, under either manager. */
import { CONFIGMAPS, NODES } from "../../src/api/mod.ts";
import type { CloudRoute } from "../../src/cloud/mod.ts";
import type { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import {
  addCloudNode,
  address,
  type CloudNodeTraits,
  type CloudScenario,
  concludeNodes,
  failure,
  FAILURES,
  inName,
  linger,
  metadataOf,
  nodeOf,
  removeNode,
  untilAsked,
  untilAskedAgain,
  untilNode,
} from "./cloud_kit.ts";
import type { Kit } from "./kit.ts";

/** Makes a node with ranges of both families, or these. */
export async function addRanged(
  kit: Kit,
  cloud: ScriptedCloud,
  name: string,
  { ranges = cloud.nextRanges(), ...traits }: CloudNodeTraits & { readonly ranges?: readonly string[] } = {},
): Promise<readonly string[]> {
  const metadata = metadataOf(kit, name, { nodeAddresses: [] });
  cloud.machines.set(nodeOf(kit, name), { metadata });
  const spec = { providerID: metadata.providerID, podCIDRs: [...ranges], podCIDR: ranges[0] };
  await addCloudNode(kit, name, { tainted: false, ...traits, spec });
  return ranges;
}

/** Waits until what the node says of its network has this reason. */
export async function untilSaid(kit: Kit, name: string, reason: string): Promise<void> {
  await untilNode(
    kit,
    name,
    `says ${reason}`,
    ({ status }) => status?.conditions?.some((each) => each.type === "NetworkUnavailable" && each.reason === reason),
  );
}

async function untilLooked(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  await untilAskedAgain(kit, cloud, { method: "listRoutes", about: "" });
}

export async function conclude(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  const left = cloud.routes.filter(({ targetNode }) => targetNode.startsWith(`${kit.namespace}.`));
  const texts = left.map(({ targetNode, blackhole = false }) => `${targetNode} ${blackhole}`).sort();
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "routes" },
    data: { routes: texts.join("\n") },
  });
  await concludeNodes(kit, cloud, /^\w+Route /);
  cloud.routes = cloud.routes.filter((route) => !left.includes(route));
}

function routeTo(kit: Kit, name: string, destinationCIDR: string, more: Partial<CloudRoute> = {}): CloudRoute {
  return { name: `${name} by hand`, targetNode: nodeOf(kit, name), destinationCIDR, ...more };
}

const USUAL: readonly CloudScenario[] = [
  {
    name: "cloud-route-of-both-families",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a");
      await untilSaid(kit, "a", "RouteCreated");
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-of-one-family",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a", { ranges: [cloud.nextRanges()[0]] });
      await addRanged(kit, cloud, "b", { ranges: [cloud.nextRanges()[1]] });
      await untilSaid(kit, "a", "RouteCreated");
      await untilSaid(kit, "b", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-is-there",
    run: async (kit, cloud) => {
      const ranges = cloud.nextRanges();
      cloud.routes.push(routeTo(kit, "a", ranges[0]), routeTo(kit, "a", ranges[1]));
      await addRanged(kit, cloud, "a", { ranges });
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-of-a-node-that-goes",
    run: async (kit, cloud) => {
      const [range] = await addRanged(kit, cloud, "a");
      await addRanged(kit, cloud, "b");
      await untilSaid(kit, "a", "RouteCreated");
      await untilSaid(kit, "b", "RouteCreated");
      await removeNode(kit, "a");
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "a"), times: 2 });
      await kit.untilAll(NODES, "lead nowhere", () => !cloud.routes.some((route) => route.destinationCIDR === range));
      cloud.asked.splice(
        0,
        cloud.asked.length,
        ...cloud.asked.map((each) => each.about === nodeOf(kit, "a") ? { ...each, detail: [] } : each),
      );
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-of-a-node-without-ranges",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a", { ranges: [] });
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-to-a-node-without-ranges",
    run: async (kit, cloud) => {
      const [range] = cloud.nextRanges();
      await addRanged(kit, cloud, "a", { ranges: [] });
      cloud.routes.push(routeTo(kit, "a", range));
      await untilSaid(kit, "a", "NoRouteCreated");
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "a") });
      forgetRanges(kit, cloud, [range]);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-to-another-range",
    run: async (kit, cloud) => {
      const [wrong] = cloud.nextRanges();
      await addRanged(kit, cloud, "a");
      cloud.routes.push(routeTo(kit, "a", wrong));
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "a") });
      await untilSaid(kit, "a", "RouteCreated");
      forgetRanges(kit, cloud, [wrong]);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-to-another-node",
    run: async (kit, cloud) => {
      const ranges = cloud.nextRanges();
      cloud.routes.push(routeTo(kit, "gone", ranges[0]));
      await addRanged(kit, cloud, "a", { ranges });
      await untilSaid(kit, "a", "RouteCreated");
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "gone") });
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-that-leads-nowhere",
    run: async (kit, cloud) => {
      const ranges = cloud.nextRanges();
      await addRanged(kit, cloud, "a", { ranges });
      await untilSaid(kit, "a", "RouteCreated");
      const [lost] = cloud.nextRanges();
      cloud.routes.push(routeTo(kit, "hole", lost, { blackhole: true }));
      cloud.routes.push(routeTo(kit, "elsewhere", "192.0.2.0/24", { blackhole: true }));
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "hole") });
      await untilLooked(kit, cloud);
      forgetRanges(kit, cloud, [lost]);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-that-is-a-hole-for-a-node",
    run: async (kit, cloud) => {
      const ranges = cloud.nextRanges();
      cloud.routes.push(routeTo(kit, "a", ranges[0], { blackhole: true }));
      await addRanged(kit, cloud, "a", { ranges });
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "a") });
      await untilLooked(kit, cloud);
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-of-somebody-else",
    run: async (kit, cloud) => {
      cloud.routes.push(routeTo(kit, "gone", "192.0.2.0/24"), routeTo(kit, "odd", "nonsense"));
      cloud.routes.push(routeTo(kit, "wide", "10.0.0.0/8"), routeTo(kit, "six", "2001:db8::/64"));
      await addRanged(kit, cloud, "a");
      await untilSaid(kit, "a", "RouteCreated");
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-where-another-network-is-up",
    run: async (kit, cloud) => {
      const time = "2026-01-01T00:00:00Z";
      await addRanged(kit, cloud, "a", {
        conditions: [{
          type: "NetworkUnavailable",
          status: "False",
          reason: "CalicoIsUp",
          message: "Calico is running on this node",
          lastHeartbeatTime: time,
          lastTransitionTime: time,
        }],
      });
      await untilLooked(kit, cloud);
      await linger(kit, 5);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-where-there-was-none",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a", {
        conditions: [{ type: "NetworkUnavailable", status: "True", reason: "NoRouteCreated", message: "m" }],
      });
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
];

/** Which ranges are not the node's is of no matter. */
function forgetRanges(kit: Kit, cloud: ScriptedCloud, ranges: readonly string[]): void {
  cloud.asked.forEach((each, i) => {
    if (!each.about.startsWith(`${kit.namespace}.`) || !ranges.includes(each.detail[0])) return;
    cloud.asked[i] = { ...each, detail: ["<forgotten>", ...each.detail.slice(1)] };
  });
}

const FAILING: readonly CloudScenario[] = FAILURES.map((kind) => ({
  name: `cloud-route-not-made-${inName(kind)}`,
  run: async (kit, cloud) => {
    cloud.fail("createRoute", nodeOf(kit, "a"), failure(kind));
    await addRanged(kit, cloud, "a");
    await untilSaid(kit, "a", "NoRouteCreated");
    await kit.untilAll(NODES, "are looked at again", () => cloud.times("createRoute", nodeOf(kit, "a")) > 2);
    cloud.mend("createRoute", nodeOf(kit, "a"));
    await untilSaid(kit, "a", "RouteCreated");
    await conclude(kit, cloud);
  },
}));

const FAILING_ONCE: readonly CloudScenario[] = [
  {
    name: "cloud-route-in-conflict-once",
    run: async (kit, cloud) => {
      cloud.fail("createRoute", nodeOf(kit, "a"), failure("conflict"), 1);
      await addRanged(kit, cloud, "a", { ranges: [cloud.nextRanges()[0]] });
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-of-one-family-not-made",
    run: async (kit, cloud) => {
      cloud.fail("createRoute", nodeOf(kit, "a"), failure("other"), 1);
      await addRanged(kit, cloud, "a");
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-route-not-deleted",
    run: async (kit, cloud) => {
      const [wrong] = cloud.nextRanges();
      cloud.fail("deleteRoute", nodeOf(kit, "a"), failure("other"), 2);
      await addRanged(kit, cloud, "a");
      cloud.routes.push(routeTo(kit, "a", wrong));
      await untilAsked(kit, cloud, { method: "deleteRoute", about: nodeOf(kit, "a"), times: 3 });
      await untilSaid(kit, "a", "RouteCreated");
      forgetRanges(kit, cloud, [wrong]);
      await conclude(kit, cloud);
    },
  },
];

/** Many at once. */
export const CLOUD_ROUTE_SCENARIOS: readonly CloudScenario[] = [...USUAL, ...FAILING, ...FAILING_ONCE];

/** One after the other: they are about all routes. */
export const CLOUD_ROUTES_SCENARIOS: readonly CloudScenario[] = [
  {
    name: "cloud-routes-not-listed",
    run: async (kit, cloud) => {
      cloud.fail("listRoutes", "", failure("other"));
      await addRanged(kit, cloud, "a");
      await untilLooked(kit, cloud);
      await linger(kit, 5);
      cloud.mend("listRoutes", "");
      await untilSaid(kit, "a", "RouteCreated");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-routes-not-listed-any-more",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a");
      await untilSaid(kit, "a", "RouteCreated");
      cloud.fail("listRoutes", "", failure("other"));
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
      cloud.mend("listRoutes", "");
    },
  },
  {
    name: "cloud-routes-none-listed-any-more",
    run: async (kit, cloud) => {
      await addRanged(kit, cloud, "a");
      await untilSaid(kit, "a", "RouteCreated");
      cloud.routes = [];
      await untilAsked(kit, cloud, { method: "createRoute", about: nodeOf(kit, "a"), times: 4 });
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-routes-with-addresses",
    run: async (kit, cloud) => {
      const ranges = cloud.nextRanges();
      const addresses = [address("InternalIP", "10.9.0.1")];
      const more = { enableNodeAddresses: true };
      cloud.routes.push(routeTo(kit, "a", ranges[0], { ...more, targetNodeAddresses: addresses }));
      cloud.routes.push(
        routeTo(kit, "a", ranges[1], { ...more, targetNodeAddresses: [address("InternalIP", "10.9.0.2")] }),
      );
      await addRanged(kit, cloud, "a", { ranges, addresses });
      await untilSaid(kit, "a", "RouteCreated");
      await untilLooked(kit, cloud);
      await conclude(kit, cloud);
    },
  },
];
