/** Machines that are stopped, started and removed, and what becomes of their nodes under either manager. */
import { NODES } from "../../src/api/mod.ts";
import type { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import {
  addCloudNode,
  addMachine,
  changeNode,
  type CloudNodeTraits,
  type CloudScenario,
  concludeNodes,
  failure,
  FAILURES,
  hasTaint,
  inName,
  metadataOf,
  nodeOf,
  sayReady,
  untilAskedAgain,
  untilInitialized,
  untilNode,
} from "./cloud_kit.ts";
import type { Kit } from "./kit.ts";

const SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown";

/** A node `a` that its cloud knows. */
async function begin(kit: Kit, cloud: ScriptedCloud, traits: CloudNodeTraits = {}): Promise<void> {
  await addMachine(kit, cloud, "a", traits);
  await untilInitialized(kit, "a");
  // Its addresses are written behind its taint.
  await untilAskedAgain(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a") });
}

function stop(kit: Kit, cloud: ScriptedCloud, isShutdown = true): void {
  cloud.machines.set(nodeOf(kit, "a"), { metadata: metadataOf(kit, "a"), isShutdown });
}

async function untilLookedFor(kit: Kit, cloud: ScriptedCloud, method = "instanceExists"): Promise<void> {
  await untilAskedAgain(kit, cloud, { method, about: nodeOf(kit, "a") });
}

async function untilStopped(kit: Kit, isStopped = true): Promise<void> {
  await untilNode(kit, "a", `is ${isStopped ? "" : "not "}shut down`, (node) => hasTaint(node, SHUTDOWN) === isStopped);
}

const STOPPED: readonly CloudScenario[] = [
  {
    name: "cloud-machine-stopped",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      stop(kit, cloud);
      await sayReady(kit, "a", "Unknown");
      await untilStopped(kit);
      await untilLookedFor(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-stopped-and-started",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      stop(kit, cloud);
      await sayReady(kit, "a", "False");
      await untilStopped(kit);
      stop(kit, cloud, false);
      await untilLookedFor(kit, cloud);
      await sayReady(kit, "a", "True");
      await untilStopped(kit, false);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-stopped-while-ready",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      stop(kit, cloud);
      await untilAskedAgain(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a") });
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-started-before-its-node",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      stop(kit, cloud);
      await sayReady(kit, "a", "False");
      await untilStopped(kit);
      stop(kit, cloud, false);
      await untilLookedFor(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-stopped-then-gone",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      stop(kit, cloud);
      await sayReady(kit, "a", "False");
      await untilStopped(kit);
      cloud.machines.delete(nodeOf(kit, "a"));
      await kit.untilGone(NODES, nodeOf(kit, "a"));
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-with-a-taint-of-somebody",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      const taints = [
        { key: SHUTDOWN, effect: "NoSchedule" },
        { key: SHUTDOWN, effect: "NoExecute" },
        { key: "example.com/a", effect: "NoSchedule" },
      ];
      await changeNode(kit, "a", { spec: { taints } });
      await untilNode(
        kit,
        "a",
        "is not shut down",
        ({ spec }) => !spec?.taints?.some(({ key, effect }) => key === SHUTDOWN && effect === "NoSchedule"),
      );
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-stopped-of-a-tainted-node",
    run: async (kit, cloud) => {
      await begin(kit, cloud, { spec: { taints: [{ key: "example.com/a", value: "b", effect: "NoSchedule" }] } });
      stop(kit, cloud);
      await sayReady(kit, "a", "False");
      await untilStopped(kit);
      await concludeNodes(kit, cloud);
    },
  },
];

const GONE: readonly CloudScenario[] = [
  {
    name: "cloud-machine-gone",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.machines.delete(nodeOf(kit, "a"));
      await sayReady(kit, "a", "Unknown");
      await kit.untilGone(NODES, nodeOf(kit, "a"));
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-gone-while-ready",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.machines.delete(nodeOf(kit, "a"));
      await untilAskedAgain(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "a") });
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-gone-and-registered-again",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.machines.delete(nodeOf(kit, "a"));
      await sayReady(kit, "a", "False");
      await kit.untilGone(NODES, nodeOf(kit, "a"));
      await begin(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-gone-before-its-node-was-ready",
    run: async (kit, cloud) => {
      await addCloudNode(kit, "a", { ready: "" });
      await kit.untilGone(NODES, nodeOf(kit, "a"));
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-gone-with-a-finalizer",
    run: async (kit, cloud) => {
      await begin(kit, cloud, { finalizers: ["example.com/other"] });
      cloud.machines.delete(nodeOf(kit, "a"));
      await sayReady(kit, "a", "False");
      await untilNode(kit, "a", "is being deleted", ({ metadata }) => metadata?.deletionTimestamp);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-of-a-node-never-ready",
    run: async (kit, cloud) => {
      await begin(kit, cloud, { ready: "" });
      await untilLookedFor(kit, cloud);
      await concludeNodes(kit, cloud);
    },
  },
  {
    name: "cloud-machine-with-another-id",
    run: async (kit, cloud) => {
      await begin(kit, cloud);
      cloud.machines.set(nodeOf(kit, "a"), { metadata: metadataOf(kit, "a", { providerID: "judge://another" }) });
      await sayReady(kit, "a", "False");
      await kit.untilGone(NODES, nodeOf(kit, "a"));
      await concludeNodes(kit, cloud);
    },
  },
];

const NOT_FOUND_OUT: readonly CloudScenario[] = FAILURES.map((kind) => ({
  name: `cloud-machine-not-looked-for-${inName(kind)}`,
  run: async (kit, cloud) => {
    await begin(kit, cloud);
    cloud.machines.delete(nodeOf(kit, "a"));
    cloud.fail("instanceExists", nodeOf(kit, "a"), failure(kind));
    await sayReady(kit, "a", "False");
    await untilLookedFor(kit, cloud);
    await concludeNodes(kit, cloud);
  },
}));

const SHUTDOWN_UNKNOWN: readonly CloudScenario[] = FAILURES.map((kind) => ({
  name: `cloud-machine-may-be-stopped-${inName(kind)}`,
  run: async (kit, cloud) => {
    await begin(kit, cloud);
    stop(kit, cloud);
    cloud.fail("instanceShutdown", nodeOf(kit, "a"), failure(kind));
    await sayReady(kit, "a", "False");
    await untilLookedFor(kit, cloud, "instanceShutdown");
    await concludeNodes(kit, cloud);
  },
}));

export const CLOUD_MACHINE_SCENARIOS: readonly CloudScenario[] = [
  ...STOPPED,
  ...GONE,
  ...NOT_FOUND_OUT,
  ...SHUTDOWN_UNKNOWN,
];
