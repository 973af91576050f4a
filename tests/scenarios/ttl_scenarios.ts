/**
 * Clusters that grow and shrink, on any server and under either manager. They have no other nodes, and are played one after the other.
 */
import { CONFIGMAPS, type Node, NODES } from "../../src/api/mod.ts";
import { parallelize } from "../../src/base/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const TTL = "node.alpha.kubernetes.io/ttl";
const AT_ONCE = 20;

const nodeName = (i: number) => `n${i}`;

/** Adds nodes until there are so many. */
export async function grow(kit: Kit, from: number, to: number): Promise<void> {
  await parallelize(AT_ONCE, to - from, async (i) => {
    await kit.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: nodeName(from + i) } });
  });
}

/** Removes nodes until there are so many. */
async function shrink(kit: Kit, from: number, to: number): Promise<void> {
  await parallelize(AT_ONCE, from - to, async (i) => {
    await kit.client.delete(NODES, { name: nodeName(to + i) });
  });
}

/**
 * Changes a node again and again, as kubelets do, until it says this: the controller may not have seen yet what has happened to
 * the others.
 */
async function untilFirstSays(kit: Kit, seconds: string): Promise<void> {
  let turn = 0;
  await kit.until(NODES, nodeName(0), `says ${seconds}`, async ({ metadata }) => {
    if (metadata?.annotations?.[TTL] === seconds) return true;
    const body = { metadata: { labels: { turn: String(turn++) } } };
    await kit.client.patch(NODES, { name: nodeName(0) }, { type: "merge", body });
  });
}

async function annotateFirst(kit: Kit, value: string | null): Promise<void> {
  await kit.client.patch(NODES, { name: nodeName(0) }, {
    type: "merge",
    body: { metadata: { annotations: { [TTL]: value, mine: "yes" } } },
  });
}

/** Waits until every node says one of these. */
export async function untilAllSay(kit: Kit, ...seconds: string[]): Promise<void> {
  await kit.untilAll(
    NODES,
    `say ${seconds}`,
    (nodes) => nodes.every(({ metadata }) => seconds.includes(metadata?.annotations?.[TTL] ?? "")),
  );
}

/** Keeps in the namespace, where managers are compared, what the first node is like. */
async function writeDown(kit: Kit, moment: string): Promise<void> {
  const { metadata } = await kit.client.get(NODES, { name: nodeName(0) });
  const managers = metadata?.managedFields?.filter(({ manager }) => manager === "kube-controller-manager")
    .map(({ operation, subresource, fieldsV1 }) => ({ operation, subresource, fieldsV1 }));
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: moment },
    data: { annotations: JSON.stringify(metadata?.annotations), managers: JSON.stringify(managers) },
  });
}

export const TTL_SCENARIOS: readonly Scenario[] = [
  {
    name: "ttl-of-few-nodes",
    run: async (kit) => {
      await grow(kit, 0, 3);
      await untilAllSay(kit, "0");
      await writeDown(kit, "new");
      for (const [moment, value] of Object.entries({ other: "60", text: "soon", none: null, empty: "" })) {
        await annotateFirst(kit, value);
        await untilAllSay(kit, "0");
        await writeDown(kit, moment);
      }
      await shrink(kit, 3, 0);
    },
  },
  {
    name: "ttl-past-a-hundred-nodes-and-back",
    run: async (kit) => {
      await grow(kit, 0, 100);
      await untilAllSay(kit, "0");
      await grow(kit, 100, 101);
      await untilFirstSays(kit, "15");
      await shrink(kit, 101, 90);
      await annotateFirst(kit, "0");
      await untilFirstSays(kit, "15");
      await writeDown(kit, "still");
      await shrink(kit, 90, 89);
      await untilFirstSays(kit, "0");
      await writeDown(kit, "back");
      await shrink(kit, 89, 0);
    },
  },
  {
    name: "ttl-past-five-hundred-nodes-and-back",
    run: async (kit) => {
      await grow(kit, 0, 501);
      await untilFirstSays(kit, "30");
      await untilAllSay(kit, "0", "15", "30");
      await shrink(kit, 501, 449);
      await untilFirstSays(kit, "15");
      await writeDown(kit, "back");
      await shrink(kit, 449, 0);
    },
  },
];
