/** Managers that die and are started again, in the test kit. */
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { CONFIGMAPS, PODS, REPLICASETS } from "kubeloop/api";
import { objects, startTestCluster, type TestCluster } from "kubeloop/testing";
import { Lifeline } from "../../src/embedded/mod.ts";

/** ReplicaSets alone: their controller creates pods one by one, two at a time, four at a time. */
const FLAGS = ["--controllers=replicaset"];

async function createSet(cluster: TestCluster, replicas: number): Promise<void> {
  await cluster.namespace("shop");
  await cluster.client.create(REPLICASETS, objects.replicaSet("web", { metadata: { namespace: "shop" }, replicas }));
}

const countPods = async ({ client }: TestCluster) => (await client.list(PODS, { namespace: "shop" })).items.length;

const request = (path: string, method = "POST") => new Request(`http://server/${path}`, { method });

Deno.test("Lifeline: once it is cut no request gets through and no answer comes back, not to requests under way either", async () => {
  const lifeline = new Lifeline();
  const served: string[] = [];
  const { promise: answer, resolve } = Promise.withResolvers<Response>();
  const send = lifeline.around(({ url }) => {
    served.push(url);
    return answer;
  });
  const underWay = send(request("a", "GET"));
  lifeline.cut();
  const later = send(request("b"));
  resolve(new Response("late"));
  for (const lost of [underWay, later]) await assertRejects(() => lost, TypeError, "the process that asked has died");
  assertEquals([served, lifeline.writes, lifeline.isCut], [["http://server/a"], 0, true]);
});

Deno.test("Lifeline: a process that dies before a write leaves exactly the writes stored that had got through earlier; Lifeline: one that dies after a write leaves that write stored besides, and none that it sent later", async () => {
  const rows = [["before", ["a"]], ["after", ["a", "b"]]] as const;
  for (const [moment, expected] of rows) {
    const lifeline = new Lifeline({ deathBy: ({ url }) => url.endsWith("b") ? moment : undefined });
    const stored: string[] = [];
    const send = lifeline.around(async ({ url }) => {
      await Promise.resolve();
      stored.push(url.at(-1)!);
      return new Response();
    });
    // All at once, as a controller creates its pods; reads are no writes.
    const sent = ["a", "b", "c"].map((path) => send(request(path)));
    const ends = (await Promise.allSettled(sent)).map(({ status }) => status);
    await lifeline.whenCut;
    assertEquals([stored, lifeline.writes], [expected, expected.length], moment);
    assertEquals(ends.slice(1), ["rejected", "rejected"], moment);
  }
});

Deno.test("MortalManager: from its crash on nothing of a manager reaches the API server, and nothing is noted of it", async () => {
  await using cluster = await startTestCluster({ flags: FLAGS, nodes: 0 });
  await cluster.crashManager();
  const before = cluster.managerWrites;
  await createSet(cluster, 2);
  await cluster.advance(60_000);
  assertEquals([await countPods(cluster), cluster.managerWrites], [0, before]);
  assertStringIncludes(cluster.history.dump(), "the manager crashed after");
  cluster.startManager();
  await cluster.settle();
  assertEquals(await countPods(cluster), 2);
});

Deno.test("TestCluster.crashManager at a write leaves exactly the writes up to it, and its successor makes up the rest", async () => {
  for (const [moment, stored] of [["before", 4], ["after", 5]] as const) {
    await using cluster = await startTestCluster({ flags: FLAGS, nodes: 0 });
    await cluster.settle();
    const before = cluster.managerWrites;
    const died = cluster.crashManager({ atWrite: 5, moment });
    await createSet(cluster, 7);
    await cluster.settle();
    await died;
    assertEquals(cluster.managerWrites - before, stored, moment);
    const pods = await countPods(cluster);
    cluster.startManager();
    await cluster.settle();
    assertEquals([await countPods(cluster), pods < 7], [7, true], moment);
  }
});

Deno.test("MortalManager: a manager that is started knows only what the API server tells it", async () => {
  await using cluster = await startTestCluster({ flags: FLAGS });
  await createSet(cluster, 2);
  await cluster.settle();
  await cluster.crashManager();
  const { items: [{ metadata }] } = await cluster.client.list(PODS, { namespace: "shop" });
  await cluster.client.delete(PODS, { namespace: "shop", name: metadata!.name! });
  await cluster.settle();
  assertEquals(await countPods(cluster), 1);
  cluster.startManager();
  await cluster.settle();
  assertEquals(await countPods(cluster), 2);
});

Deno.test("LocalCluster: controllers that crash leave everything else running: nodes, scheduler and clients", async () => {
  await using cluster = await startTestCluster({ flags: FLAGS });
  await cluster.crashManager();
  await cluster.namespace("shop");
  await cluster.client.create(PODS, objects.pod("lonely", { metadata: { namespace: "shop" } }));
  await cluster.client.create(CONFIGMAPS, objects.configMap("a", {}, { metadata: { namespace: "shop" } }));
  await cluster.eventually("the pod runs", async () => {
    const { status } = await cluster.client.get(PODS, { namespace: "shop", name: "lonely" });
    return status?.phase === "Running";
  });
});

Deno.test("TestCluster refuses to crash a dead manager, and to start a second one", async () => {
  await using cluster = await startTestCluster({ flags: FLAGS, nodes: 0 });
  assertThrows(() => cluster.startManager(), Error, "beside one that is alive");
  await cluster.crashManager();
  await assertRejects(() => cluster.crashManager(), Error, "Cannot crash a manager that is not alive");
});

Deno.test("MortalManager: run resolves when all managers that ever lived have come to rest; LocalCluster: when run resolves, no timer and no request of the cluster is left", async () => {
  const cluster = await startTestCluster({ flags: FLAGS });
  await createSet(cluster, 3);
  for (let life = 0; life < 3; life++) {
    const died = cluster.crashManager({ atWrite: 1 });
    await cluster.advance(1_000);
    await cluster.client.patch(REPLICASETS, { namespace: "shop", name: "web" }, {
      type: "merge",
      body: { spec: { replicas: 5 + life } },
    });
    await cluster.settle();
    await died;
    cluster.startManager();
  }
  await cluster.settle();
  assertEquals(await countPods(cluster), 7);
  await cluster[Symbol.asyncDispose]();
  assertEquals([cluster.world.clock.pendingTimers, cluster.apiServer.openWatches], [0, 0]);
});
