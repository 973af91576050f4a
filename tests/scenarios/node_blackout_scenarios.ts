/** What becomes of a cluster in which no node seems to be well any more: each scenario has it for itself. */
import { PODS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import {
  addNode,
  addPod,
  conclude,
  passTime,
  readyOf,
  say,
  silence,
  taint,
  untilEvicted,
  untilNode,
  untilTainted,
  untilUnready,
  wake,
} from "./node_kit.ts";
import { patience } from "./node_lifecycle_scenarios.ts";
import type { Scenario } from "./scenario.ts";

const NODE_NAMES = ["a", "b", "c"];
const KEPT_OFF = "unreachable:NoSchedule";

/** Three nodes in two zones, each with a pod that would not stay for long on an ill one. */
async function begin(kit: Kit): Promise<void> {
  for (const name of NODE_NAMES) await addNode(kit, name, { zone: name === "c" ? "south" : "north" });
  for (const name of NODE_NAMES) {
    await untilTainted(kit, name, "");
    await addPod(kit, `on-${name}`, { node: name, tolerations: patience(5) });
  }
}

async function allSpared(kit: Kit): Promise<void> {
  const going = (await kit.list(PODS)).filter(({ metadata }) => metadata?.deletionTimestamp);
  if (going.length > 0) throw new Error(`Pods are being deleted: ${going.map(({ metadata }) => metadata?.name)}`);
}

export const NODE_BLACKOUT_SCENARIOS: readonly Scenario[] = [
  {
    name: "all-nodes-silent-at-once",
    eventsDiffer: "a node may be tainted in the tenth of a second before it is seen that none is well",
    run: async (kit) => {
      await begin(kit);
      silence(kit, ...NODE_NAMES);
      for (const name of NODE_NAMES) await untilTainted(kit, name, KEPT_OFF);
      for (const name of NODE_NAMES) await untilUnready(kit, `on-${name}`);
      await passTime(kit);
      for (const name of NODE_NAMES) await untilTainted(kit, name, KEPT_OFF);
      await allSpared(kit);
      await wake(kit, ...NODE_NAMES);
      for (const name of NODE_NAMES) await untilTainted(kit, name, "");
      await allSpared(kit);
      await conclude(kit);
    },
  },
  {
    name: "one-node-recovers-from-a-blackout",
    eventsDiffer: "a node may be tainted in the tenth of a second before it is seen that none is well",
    run: async (kit) => {
      await begin(kit);
      silence(kit, ...NODE_NAMES);
      for (const name of NODE_NAMES) await untilTainted(kit, name, KEPT_OFF);
      await allSpared(kit);
      await wake(kit, "a");
      await untilTainted(kit, "a", "");
      for (const name of ["b", "c"]) {
        await untilTainted(kit, name, "unreachable:NoExecute unreachable:NoSchedule");
        await untilEvicted(kit, `on-${name}`);
      }
      await conclude(kit);
    },
  },
  {
    name: "the-last-node-that-is-well-falls-ill",
    eventsDiffer: "whether a pod's eviction has been called off is told only where it had begun",
    run: async (kit) => {
      await begin(kit);
      await addPod(kit, "patient", { node: "c", tolerations: patience(3600) });
      await say(kit, "c", { Ready: "False" });
      await untilTainted(kit, "c", "not-ready:NoExecute not-ready:NoSchedule");
      await untilEvicted(kit, "on-c");
      for (const name of ["a", "b"]) await say(kit, name, { Ready: "False" });
      for (const name of NODE_NAMES) await untilTainted(kit, name, "not-ready:NoSchedule");
      await conclude(kit);
    },
  },
  {
    name: "tainted-by-others-in-a-blackout",
    eventsDiffer: "a node may be tainted in the tenth of a second before it is seen that none is well",
    run: async (kit) => {
      await begin(kit);
      silence(kit, ...NODE_NAMES);
      for (const name of NODE_NAMES) await untilTainted(kit, name, KEPT_OFF);
      await taint(kit, "a", { key: "example.com/k", effect: "NoExecute" });
      await untilEvicted(kit, "on-a");
      await untilNode(kit, "b", "is Unknown", (node) => readyOf(node) === "Unknown");
      await conclude(kit);
    },
  },
];
