/** Nodes that come and go under balancers, under either manager. One scenario after the other: all nodes are behind all balancers. */
import {
  aboutService,
  addCloudNode,
  addCloudService,
  changeAndEnsure,
  changeNode,
  changeService,
  type CloudNodeTraits,
  type CloudScenario,
  concludeServices,
  failure,
  linger,
  metadataOf,
  nodeOf,
  removeNode,
  sayReady,
  untilAsked,
  untilAskedAgain,
  untilBalanced,
  untilEnsured,
} from "./cloud_kit.ts";
import type { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import { NODES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

const EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";
const AUTOSCALER = "ToBeDeletedByClusterAutoscaler";

/** Makes a node that needs nothing more of its cloud. */
async function addTarget(kit: Kit, cloud: ScriptedCloud, name: string, traits: CloudNodeTraits = {}): Promise<void> {
  cloud.machines.set(nodeOf(kit, name), { metadata: metadataOf(kit, name, { nodeAddresses: [] }) });
  const spec = { providerID: `judge://${nodeOf(kit, name)}`, ...traits.spec };
  await addCloudNode(kit, name, { tainted: false, ...traits, spec });
}

/** A balancer before the nodes `a` and `b`. */
async function begin(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  await addTarget(kit, cloud, "a");
  await addTarget(kit, cloud, "b");
  // Nodes that come later than the Service would be another call.
  await linger(kit);
  await addCloudService(kit);
  await untilBalanced(kit);
}

async function untilUpdated(kit: Kit, cloud: ScriptedCloud, times: number, name = "s"): Promise<void> {
  await untilAsked(kit, cloud, { method: "updateLoadBalancer", about: aboutService(kit, name), times });
  await linger(kit, 3);
}

async function conclude(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  await concludeServices(kit, cloud);
  const nodes = (await kit.list(NODES)).filter(({ metadata }) => metadata!.name!.startsWith(`${kit.namespace}.`));
  for (const { metadata } of nodes) await removeNode(kit, metadata!.name!.slice(kit.namespace.length + 1));
}

export const CLOUD_TARGET_SCENARIOS: readonly CloudScenario[] = [
  {
    name: "cloud-target-added",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await addTarget(kit, cloud, "c");
      await untilUpdated(kit, cloud, 1);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-removed",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await removeNode(kit, "b");
      await untilUpdated(kit, cloud, 1);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-none",
    run: async (kit, cloud) => {
      await addCloudService(kit);
      await untilBalanced(kit);
      await addTarget(kit, cloud, "a");
      await untilUpdated(kit, cloud, 1);
      await removeNode(kit, "a");
      await untilUpdated(kit, cloud, 2);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-of-two",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await addCloudService(kit, {}, { name: "t" });
      await untilBalanced(kit, "t");
      await addCloudService(kit, { loadBalancerClass: "example.com/other" }, { name: "u" });
      await addTarget(kit, cloud, "c");
      await untilUpdated(kit, cloud, 1);
      await untilUpdated(kit, cloud, 1, "t");
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-excluded",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await changeNode(kit, "b", { metadata: { labels: { [EXCLUDED]: "" } } });
      await untilUpdated(kit, cloud, 1);
      await changeNode(kit, "b", { metadata: { labels: { [EXCLUDED]: "true" } } });
      await linger(kit);
      await changeNode(kit, "b", { metadata: { labels: { [EXCLUDED]: "false" } } });
      await linger(kit);
      await changeNode(kit, "b", { metadata: { labels: { [EXCLUDED]: null } } });
      await linger(kit);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-excluded-by-odd-words",
    run: async (kit, cloud) => {
      await addTarget(kit, cloud, "a", { labels: { [EXCLUDED]: "T" } });
      await addTarget(kit, cloud, "b", { labels: { [EXCLUDED]: "no" } });
      await addTarget(kit, cloud, "c", { labels: { [EXCLUDED]: "0" } });
      await addTarget(kit, cloud, "d", { labels: { [EXCLUDED]: "F" } });
      await addTarget(kit, cloud, "e", { labels: { [EXCLUDED]: "False" } });
      await addTarget(kit, cloud, "f", { labels: { [EXCLUDED]: "fALSE" } });
      await linger(kit);
      await addCloudService(kit);
      await untilBalanced(kit);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-of-the-autoscaler",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await changeNode(kit, "b", { spec: { taints: [{ key: AUTOSCALER, value: "1", effect: "NoSchedule" }] } });
      await linger(kit);
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "1" } } });
      await changeNode(kit, "b", { spec: { taints: null } });
      await linger(kit);
      await addTarget(kit, cloud, "c");
      await untilUpdated(kit, cloud, 1);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-is-known-later",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await addTarget(kit, cloud, "c", { spec: { providerID: undefined } });
      await untilUpdated(kit, cloud, 1);
      await changeNode(kit, "c", { spec: { providerID: `judge://${nodeOf(kit, "c")}` } });
      await untilUpdated(kit, cloud, 2);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-waits-for-its-cloud",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.machines.set(nodeOf(kit, "c"), { metadata: null });
      await addCloudNode(kit, "c", { ready: "False" });
      await untilUpdated(kit, cloud, 1);
      cloud.machines.set(nodeOf(kit, "c"), { metadata: metadataOf(kit, "c") });
      await sayReady(kit, "c", "True");
      await untilUpdated(kit, cloud, 2);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-unready",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await sayReady(kit, "b", "False");
      await untilAskedAgain(kit, cloud, { method: "instanceExists", about: nodeOf(kit, "b") });
      await sayReady(kit, "b", "True");
      await linger(kit);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-being-deleted",
    run: async (kit, cloud) => {
      await addTarget(kit, cloud, "c", { finalizers: ["example.com/other"] });
      await begin(kit, cloud);
      await kit.client.delete(NODES, { name: nodeOf(kit, "c") });
      await linger(kit);
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "1" } } });
      await changeNode(kit, "c", { metadata: { finalizers: null } });
      await kit.untilGone(NODES, nodeOf(kit, "c"));
      await linger(kit);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-added-while-a-service-is-let-go",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      await addCloudService(kit, { type: "ClusterIP" }, { name: "t" });
      await addTarget(kit, cloud, "c");
      await untilUpdated(kit, cloud, 1);
      await changeService(kit, {
        spec: { type: "ClusterIP", allocateLoadBalancerNodePorts: null },
      });
      await linger(kit);
      await addTarget(kit, cloud, "d");
      await linger(kit);
      await conclude(kit, cloud);
    },
  },
];

/** Balancers that cannot be updated. */
export const CLOUD_UPDATE_SCENARIOS: readonly CloudScenario[] = [
  {
    name: "cloud-target-not-updated-other",
    run: (kit, cloud) => notUpdated(kit, cloud, "other"),
  },
  {
    name: "cloud-target-not-updated-retry",
    run: (kit, cloud) => notUpdated(kit, cloud, "retry"),
  },
  {
    name: "cloud-target-not-updated-not-implemented",
    run: (kit, cloud) => notUpdated(kit, cloud, "notImplemented"),
  },
  {
    name: "cloud-target-not-updated-instance-not-found",
    run: (kit, cloud) => notUpdated(kit, cloud, "instanceNotFound"),
  },
  {
    name: "cloud-target-not-updated-conflict",
    run: (kit, cloud) => notUpdated(kit, cloud, "conflict"),
  },
  {
    name: "cloud-target-updated-elsewhere",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.fail("updateLoadBalancer", aboutService(kit), failure("implementedElsewhere"));
      await addTarget(kit, cloud, "c");
      await untilUpdated(kit, cloud, 1);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-of-a-balancer-that-is-gone",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.balancers.clear();
      await addTarget(kit, cloud, "c");
      await untilUpdated(kit, cloud, 1);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-of-a-balancer-that-nobody-knows",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.fail("updateLoadBalancer", aboutService(kit), failure("other"), 1);
      cloud.fail("getLoadBalancer", aboutService(kit), failure("other"), 1);
      await addTarget(kit, cloud, "c");
      await untilEnsured(kit, cloud, 2);
      await conclude(kit, cloud);
    },
  },
  {
    name: "cloud-target-added-while-ensuring-fails",
    run: async (kit, cloud) => {
      await addTarget(kit, cloud, "a");
      await linger(kit);
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("other"), 1);
      await addCloudService(kit);
      await untilEnsured(kit, cloud, 1);
      await linger(kit, 5);
      await addTarget(kit, cloud, "b");
      await untilBalanced(kit);
      await conclude(kit, cloud);
    },
  },
];

/** Its balancer is ensured instead. */
async function notUpdated(kit: Kit, cloud: ScriptedCloud, kind: Parameters<typeof failure>[0]): Promise<void> {
  await begin(kit, cloud);
  cloud.fail("updateLoadBalancer", aboutService(kit), failure(kind), 1);
  await addTarget(kit, cloud, "c");
  await untilEnsured(kit, cloud, 2);
  await conclude(kit, cloud);
}
