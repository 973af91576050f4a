/**
 * What becomes of a cluster in which no node seems to be well any more: each scenario has it for itself. In the tenth of a second
 * before upstream's manager sees that none is, it may taint a node; so nothing is said here of taints and events in between.
 */
import { type Pod, PODS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import {
  addNode,
  addPod,
  conclude,
  readyOf,
  say,
  silence,
  untilEvicted,
  untilNode,
  untilTainted,
  untilUnready,
  wake,
} from "./node_kit.ts";
import { patience } from "./node_lifecycle_scenarios.ts";
import type { Scenario } from "./scenario.ts";

const NODE_NAMES = ["a", "b", "c"];
const EVENTS_DIFFER = "a node may be tainted in the tenth of a second before it is seen that none is well";
const UNREACHABLE = "unreachable:NoExecute unreachable:NoSchedule";
const NOT_READY = "not-ready:NoExecute not-ready:NoSchedule";

/** Three nodes in two zones, each with a pod that tolerates its illness for so many seconds. */
async function begin(kit: Kit, seconds: Readonly<Record<string, number>> = {}): Promise<void> {
  for (const name of NODE_NAMES) await addNode(kit, name, { zone: name === "c" ? "south" : "north" });
  for (const name of NODE_NAMES) {
    await untilTainted(kit, name, "");
    await addPod(kit, `on-${name}`, { node: name, tolerations: patience(seconds[name] ?? 3600) });
  }
}

/** No node gives a sign of life any more, and that is known. */
async function blackOut(kit: Kit): Promise<void> {
  silence(kit, ...NODE_NAMES);
  for (const name of NODE_NAMES) {
    await untilNode(kit, name, "is found silent", (node) => readyOf(node) === "Unknown");
    await untilUnready(kit, `on-${name}`);
  }
}

async function spared(kit: Kit): Promise<void> {
  const isGoing = ({ metadata }: Pod) => metadata?.deletionTimestamp;
  await kit.untilAll(PODS, "are all left alone", (pods) => !pods.some(isGoing));
}

export const NODE_BLACKOUT_SCENARIOS: readonly Scenario[] = [
  {
    name: "all-nodes-silent-at-once",
    eventsDiffer: EVENTS_DIFFER,
    run: async (kit) => {
      await begin(kit);
      await blackOut(kit);
      await wake(kit, ...NODE_NAMES);
      for (const name of NODE_NAMES) await untilTainted(kit, name, "");
      await spared(kit);
      await conclude(kit);
    },
  },
  {
    name: "one-node-recovers-from-a-blackout",
    eventsDiffer: EVENTS_DIFFER,
    run: async (kit) => {
      await begin(kit, { b: 1, c: 1 });
      await blackOut(kit);
      await wake(kit, "a");
      await untilTainted(kit, "a", "");
      for (const name of ["b", "c"]) {
        await untilTainted(kit, name, UNREACHABLE);
        await untilEvicted(kit, `on-${name}`);
      }
      await conclude(kit);
    },
  },
  {
    name: "the-last-node-that-is-well-falls-ill",
    eventsDiffer: EVENTS_DIFFER,
    run: async (kit) => {
      await begin(kit, { c: 1 });
      await say(kit, "c", { Ready: "False" });
      await untilTainted(kit, "c", NOT_READY);
      await untilEvicted(kit, "on-c");
      await say(kit, "a", { Ready: "False" });
      await untilTainted(kit, "a", NOT_READY);
      await say(kit, "b", { Ready: "False" });
      for (const name of NODE_NAMES) await untilTainted(kit, name, "not-ready:NoSchedule");
      await conclude(kit);
    },
  },
];
