/**
 * Zones of which most nodes are ill, on any server and under either manager: they are started with a grace period that nobody
 * outlives, one eviction in five seconds, and five a second in large zones that are disrupted.
 */
import { type Node, NODES } from "../../src/api/mod.ts";
import { parallelize } from "../../src/base/mod.ts";
import type { Kit } from "./kit.ts";
import { addNode, conclude, readyOf, say, taintsOf, untilTainted } from "./node_kit.ts";
import type { Scenario } from "./scenario.ts";

const AT_ONCE = 20;
const NOT_READY = "not-ready:NoExecute not-ready:NoSchedule";

export const ZONE_DISRUPTION_FLAGS: readonly string[] = [
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=1h",
  "--node-eviction-rate=0.2",
  "--secondary-node-eviction-rate=5",
];

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `n${from + i}`);

/** So many nodes of one zone, all well, and one elsewhere. */
async function begin(kit: Kit, count: number): Promise<void> {
  await addNode(kit, "elsewhere", { zone: "elsewhere", lease: false });
  const names = numbered(0, count);
  await parallelize(AT_ONCE, count, (i) => addNode(kit, names[i], { lease: false }));
  for (const name of names) await untilTainted(kit, name, "");
}

async function fallIll(kit: Kit, names: readonly string[]): Promise<void> {
  await parallelize(AT_ONCE, names.length, (i) => say(kit, names[i], { Ready: "False" }));
}

/** The first node takes the zone's only token, so that the next has its turn when it is known how many are ill. */
async function loseOne(kit: Kit): Promise<void> {
  await fallIll(kit, ["n0"]);
  await untilTainted(kit, "n0", NOT_READY);
}

/** Another zone's node has had its turn since: whoever was to have one had it. */
async function turnsPassed(kit: Kit): Promise<void> {
  await addNode(kit, "witness", { zone: "witness", lease: false, ready: "False" });
  await untilTainted(kit, "witness", NOT_READY);
}

/** How many nodes of the scenario are to lose their pods, and how many are ill. */
async function untilGivenUp(kit: Kit, count: number, ill: number): Promise<void> {
  await kit.untilAll(NODES, `${count} of ${ill} are given up`, (nodes) => {
    const own = nodes.filter(({ metadata }) => metadata?.name?.startsWith(`${kit.namespace}.n`));
    return own.filter((node) => readyOf(node) === "False" && isCondemned(node)).length === ill &&
      own.filter(isGivenUp).length === count;
  });
}

const isGivenUp = (node: Node) => taintsOf(node).includes("not-ready:NoExecute");
/** Tainted so that no pod comes any more: the first thing that is done about each. */
const isCondemned = (node: Node) => taintsOf(node).includes("not-ready:NoSchedule");

export const ZONE_DISRUPTION_SCENARIOS: readonly Scenario[] = [
  {
    name: "zone-of-52-mostly-lost",
    run: async (kit) => {
      await begin(kit, 52);
      await loseOne(kit);
      await fallIll(kit, numbered(1, 32));
      await untilGivenUp(kit, 32, 32);
      await conclude(kit);
    },
  },
  {
    name: "zone-of-50-mostly-lost",
    run: async (kit) => {
      await begin(kit, 50);
      await loseOne(kit);
      await fallIll(kit, numbered(1, 30));
      await turnsPassed(kit);
      await untilGivenUp(kit, 1, 30);
      // Enough are well again for two of those that are left to have their turns.
      await parallelize(AT_ONCE, 27, (i) => say(kit, `n${i + 3}`, { Ready: "True" }));
      for (const name of ["n1", "n2"]) await untilTainted(kit, name, NOT_READY);
      for (const name of numbered(3, 30)) await untilTainted(kit, name, "");
      await conclude(kit);
    },
  },
  {
    name: "zone-of-52-with-fewer-lost",
    run: async (kit) => {
      await begin(kit, 52);
      await loseOne(kit);
      await fallIll(kit, ["n1", "n2"]);
      await untilGivenUp(kit, 3, 3);
      await conclude(kit);
    },
  },
];

/** Zones of eleven nodes are large, and disrupted by less; who is not in one hardly has a turn. */
export const OTHER_ZONE_FLAGS: readonly string[] = [
  ...ZONE_DISRUPTION_FLAGS.filter((flag) => !flag.startsWith("--node-eviction-rate")),
  "--node-eviction-rate=0.01",
  "--large-cluster-size-threshold=10",
  "--unhealthy-zone-threshold=0.3",
];

export const OTHER_ZONE_SCENARIOS: readonly Scenario[] = [
  {
    name: "zone-of-8-with-three-lost",
    run: async (kit) => {
      await begin(kit, 8);
      await loseOne(kit);
      await fallIll(kit, ["n1", "n2"]);
      await turnsPassed(kit);
      await untilGivenUp(kit, 1, 3);
      await conclude(kit);
    },
  },
  {
    name: "zone-of-12-with-four-lost",
    run: async (kit) => {
      await begin(kit, 12);
      await loseOne(kit);
      await fallIll(kit, ["n1", "n2", "n3"]);
      await untilGivenUp(kit, 4, 4);
      await conclude(kit);
    },
  },
];
