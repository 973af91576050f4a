/** Managers that are killed at each of their writes, to the cluster and to the cloud: the next one ends where the first would have. */
import { assert } from "@std/assert";
import { type CrashOptions, type TestCluster, withTestCluster } from "kubeloop/testing";
import { SERVICES } from "../../src/api/mod.ts";
import { sleep } from "../../src/base/mod.ts";
import {
  assertRight,
  balanced,
  CLOUD_CLUSTER,
  isShutdown,
  nodesOf,
  servicesOf,
  watchDeletions,
} from "./cloud_scenario.ts";

/** How long nobody leads after a crash. */
const DOWN_MS = 17_000;

Deno.test("nodes, balancers and routes end the same whichever write their manager is killed at", async () => {
  const { writes } = await play();
  assert(writes >= 30, `the scenario makes only ${writes} writes`);
  let previousMs = -1;
  for (let atWrite = 1; atWrite <= writes; atWrite++) {
    const { diedMs } = await play({ atWrite, moment: "after" });
    if (diedMs === undefined) throw new Error(`killed after write ${atWrite} of ${writes}: it lives`);
    // To die before a write that is made at the same instant as another is to die after that one.
    if (diedMs > previousMs) await play({ atWrite, moment: "before" });
    previousMs = diedMs;
  }
});

interface Played {
  readonly writes: number;
  readonly diedMs?: number;
}

function play(crash?: CrashOptions): Promise<Played> {
  return withTestCluster({ ...CLOUD_CLUSTER, nodes: 2 }, async (cluster) => {
    try {
      await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
      const judge = watchDeletions(cluster);
      const before = cluster.managerWrites;
      const death = crash && crashAndRestart(cluster, crash);
      await live(cluster);
      if (death) await cluster.eventually("another manager runs", () => death.isOver);
      await cluster.eventually("all is right in the end", () => assertRight(cluster).then(() => true));
      judge();
      return { writes: cluster.managerWrites - before, diedMs: death?.diedMs };
    } catch (error) {
      if (crash && error instanceof Error) {
        error.message = `killed ${crash.moment} write ${crash.atWrite}: ${error.message}`;
      }
      throw error;
    }
  });
}

function crashAndRestart(cluster: TestCluster, crash: CrashOptions): { diedMs?: number; isOver: boolean } {
  const { clock } = cluster.world;
  const death: { diedMs?: number; isOver: boolean } = { isOver: false };
  void cluster.crashManager(crash).then(async () => {
    death.diedMs = clock.monotonicMs();
    await sleep(clock, DOWN_MS);
    cluster.startManager();
    death.isOver = true;
  });
  return death;
}

/** What the cluster goes through: each kind of write occurs. */
async function live(cluster: TestCluster): Promise<void> {
  const { client, cloud, nodes } = cluster;
  const key = (name: string) => ({ namespace: "default", name });
  nodes.addNode("node-late");
  for (const name of ["web", "gone", "inner"]) await client.create(SERVICES, balanced(name));
  await cluster.eventually(
    "three nodes and three balancers",
    () => assertRight(cluster).then(() => cloud.balancers.length === 3),
  );
  await client.patch(SERVICES, key("web"), { type: "merge", body: { spec: { ports: [{ port: 8080 }] } } });
  await client.patch(SERVICES, key("inner"), { type: "merge", body: { spec: { type: "ClusterIP" } } });
  await client.delete(SERVICES, key("gone"));
  await cluster.eventually(
    "one is gone",
    async () => !(await servicesOf(cluster)).some(({ metadata }) => metadata?.name === "gone"),
  );
  await cluster.eventually("one balancer is left", () => assertRight(cluster).then(() => cloud.balancers.length === 1));
  // Deleted while nobody leads, if that is where the manager dies.
  await client.create(SERVICES, balanced("fleeting"));
  await cluster.advance(100);
  await client.delete(SERVICES, key("fleeting"));
  await cluster.eventually(
    "nothing is left of it",
    () => assertRight(cluster).then(() => cloud.balancers.length === 1),
  );
  cloud.setMachine("node-0", "stopped");
  await cluster.eventually("the shutdown taint", async () => (await nodesOf(cluster)).some(isShutdown));
  cloud.setMachine("node-0", "running");
  await cluster.eventually("no taint", () => assertRight(cluster).then(() => true));
  cloud.setMachine("node-1", "removed");
  await cluster.eventually("two Nodes", async () => (await nodesOf(cluster)).length === 2);
}
