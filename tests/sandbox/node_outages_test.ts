/**
 * Nodes that seem to be silent while it is the manager that hears nothing, on the embedded API server: none of them loses a pod, and
 * where the manager did not run, none is even taken for silent.
 */
import { assertEquals } from "@std/assert";
import { NODES, type Pod, PODS, SERVICEACCOUNTS, type Toleration } from "../../src/api/mod.ts";
import type { Client } from "../../src/client/mod.ts";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./clock_stage.ts";
import { FreezingCluster } from "./freezing_manager.ts";

const CONTROLLERS = "node-lifecycle-controller,taint-eviction-controller";
const flags = [`--controllers=${CONTROLLERS}`, "--leader-elect=false"];
const ILL = ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"];

/** Of a pod that leaves an ill node after so many seconds. */
const patience = (tolerationSeconds: number): Toleration[] =>
  ILL.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }));

async function createPod(client: Client, name: string, nodeName: string, tolerations?: Toleration[]): Promise<Pod> {
  const spec = { nodeName, tolerations, containers: [{ name: "c", image: "nginx:1" }] };
  return await client.create(PODS, { metadata: { name, namespace: "default" }, spec });
}

/** A pod with the default tolerations on each of three nodes, and one that leaves at once. */
async function inhabit(cluster: TestCluster, seconds = 300): Promise<string[]> {
  const account = { metadata: { name: "default", namespace: "default" } };
  await cluster.client.create(SERVICEACCOUNTS, account);
  await cluster.advance(MINUTE_MS);
  const names = [0, 1, 2].map((i) => `node-${i}`);
  for (const node of names) await createPod(cluster.client, `on-${node}`, node, patience(seconds));
  await cluster.advance(MINUTE_MS);
  return names;
}

/** Names of the pods that are there and stay. */
async function staying(client: Client): Promise<string[]> {
  const { items } = await client.list(PODS, { namespace: "default" });
  return items.filter(({ metadata }) => !metadata?.deletionTimestamp).map(({ metadata }) => metadata!.name!).sort();
}

/** `True`, and taints. */
async function states(client: Client): Promise<string[]> {
  const { items } = await client.list(NODES, {});
  return items.map(({ spec, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
    return [ready, ...spec?.taints?.map(({ key, effect }) => `${key.split("/")[1]}:${effect}`) ?? []].join(" ");
  });
}

/** Since when nodes are ready without a break; kubelets mend at once what others say of them. */
async function readySince(client: Client): Promise<(string | undefined)[]> {
  const { items } = await client.list(NODES, {});
  return items.map(({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime);
}

const WELL = ["True", "True", "True"];
const ALL = ["on-node-0", "on-node-1", "on-node-2"];

Deno.test("An API server that is gone for ten minutes costs no node its pods, though they would leave within a second", () =>
  withTestCluster({ flags }, async (cluster) => {
    await inhabit(cluster, 1);
    const before = await readySince(cluster.client);
    const away = cluster.fault({ drop: "before" });
    await cluster.advance(10 * MINUTE_MS);
    away[Symbol.dispose]();
    const seen = new Set<string>();
    for (let i = 0; i < 120; i++) {
      await cluster.advance(1_000);
      for (const state of await states(cluster.client)) seen.add(state);
    }
    assertEquals([await staying(cluster.client), [...seen]], [ALL, ["True"]]);
    assertEquals(await readySince(cluster.client), before);
  }));

Deno.test("An API server that is gone for a little less than a grace period leaves no node late that needs seconds to be heard again", () =>
  withTestCluster({ flags }, async (cluster) => {
    await inhabit(cluster, 1);
    const nodes = ["node-0", "node-1", "node-2"];
    const away = cluster.fault({ drop: "before" });
    for (const node of nodes) cluster.nodes.stopNode(node);
    await cluster.advance(42_000);
    away[Symbol.dispose]();
    const seen = new Set<string>();
    for (let second = 0; second < 60; second++) {
      if (second === 15) { for (const node of nodes) cluster.nodes.startNode(node); }
      await cluster.advance(1_000);
      for (const state of await states(cluster.client)) seen.add(state);
    }
    assertEquals([await staying(cluster.client), [...seen]], [ALL, ["True"]]);
  }));

Deno.test("Leases of all nodes that are late at once cost no pod its place, and all is as before when they come again", () =>
  withTestCluster({ flags }, async (cluster) => {
    const names = await inhabit(cluster);
    for (const name of names) cluster.nodes.stopNode(name);
    await cluster.advance(HOUR_MS);
    assertEquals(await staying(cluster.client), ALL);
    assertEquals(await states(cluster.client), names.map(() => "Unknown unreachable:NoSchedule"));
    for (const name of names) cluster.nodes.startNode(name);
    await cluster.advance(MINUTE_MS);
    assertEquals([await staying(cluster.client), await states(cluster.client)], [ALL, WELL]);
  }));

Deno.test("A node that is lost alone loses its pods after 300 s", () =>
  withTestCluster({ flags }, async (cluster) => {
    await inhabit(cluster);
    cluster.nodes.stopNode("node-1");
    await cluster.advance(5 * MINUTE_MS);
    assertEquals(await staying(cluster.client), ALL);
    await cluster.advance(2 * MINUTE_MS);
    assertEquals(await staying(cluster.client), ["on-node-0", "on-node-2"]);
  }));

for (const [way, ms] of [["forward", DAY_MS], ["back", -DAY_MS]] as const) {
  Deno.test(`A clock of the whole cluster that is set ${way} makes no node silent, and evicts nobody early`, () =>
    withTestCluster({ flags }, async (cluster) => {
      await inhabit(cluster, 1);
      cluster.world.clock.jumpWall(ms);
      await cluster.advance(10 * MINUTE_MS);
      assertEquals([await staying(cluster.client), await states(cluster.client)], [ALL, WELL]);
      await createPod(cluster.client, "patient", "node-0", patience(600));
      cluster.nodes.stopNode("node-0");
      await cluster.advance(3 * MINUTE_MS);
      assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2", "patient"]);
      cluster.world.clock.jumpWall(ms);
      await cluster.advance(5 * MINUTE_MS);
      assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2", "patient"]);
      await cluster.advance(5 * MINUTE_MS);
      assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2"]);
    }));
}

Deno.test("A manager that crashed and starts ten minutes later takes no node for silent that is well", () =>
  withTestCluster({ flags }, async (cluster) => {
    await inhabit(cluster, 1);
    await cluster.crashManager();
    await cluster.advance(10 * MINUTE_MS);
    cluster.startManager();
    await cluster.advance(2 * MINUTE_MS);
    assertEquals([await staying(cluster.client), await states(cluster.client)], [ALL, WELL]);
  }));

async function frozen(play: (cluster: FreezingCluster) => Promise<void>): Promise<void> {
  await using cluster = new FreezingCluster({ flags, nodes: 3 });
  await cluster.world.clock.advance(1_000);
  await cluster.client.create(SERVICEACCOUNTS, { metadata: { name: "default", namespace: "default" } });
  await cluster.world.clock.advance(MINUTE_MS);
  for (let i = 0; i < 3; i++) await createPod(cluster.client, `on-node-${i}`, `node-${i}`, patience(1));
  await cluster.world.clock.advance(MINUTE_MS);
  assertEquals(await states(cluster.client), WELL);
  await play(cluster);
}

for (const minutes of [1, 10, 60]) {
  Deno.test(`A manager that was frozen for ${minutes} minutes takes no node for silent when it wakes`, () =>
    frozen(async (cluster) => {
      const before = await readySince(cluster.client);
      await cluster.freezeFor(minutes * MINUTE_MS);
      const seen = new Set<string>();
      for (let i = 0; i < 120; i++) {
        await cluster.world.clock.advance(1_000);
        for (const state of await states(cluster.client)) seen.add(state);
      }
      assertEquals([await staying(cluster.client), [...seen]], [ALL, ["True"]]);
      assertEquals(await readySince(cluster.client), before);
    }));
}

Deno.test("Evictions that became due while the manager was frozen are called off by what happened meanwhile", () =>
  frozen(async (cluster) => {
    const key = "example.com/k";
    const taint = (taints: unknown) =>
      cluster.client.patch(NODES, { name: "node-0" }, { type: "merge", body: { spec: { taints } } });
    const tolerations = [{ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }];
    await createPod(cluster.client, "waits", "node-0", tolerations);
    await createPod(cluster.client, "stays", "node-0", [{ key, operator: "Exists" }]);
    await taint([{ key, effect: "NoExecute" }]);
    await cluster.world.clock.advance(30_000);
    assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2", "stays", "waits"]);
    await cluster.freezeFor(10 * MINUTE_MS, async () => void await taint(null));
    await cluster.world.clock.advance(MINUTE_MS);
    assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2", "stays", "waits"]);
    await taint([{ key, effect: "NoExecute" }]);
    await cluster.world.clock.advance(20_000);
    await cluster.freezeFor(10 * MINUTE_MS);
    await cluster.world.clock.advance(3_000);
    assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2", "stays", "waits"]);
    await cluster.world.clock.advance(4_000);
    assertEquals(await staying(cluster.client), ["on-node-1", "on-node-2", "stays"]);
  }));
