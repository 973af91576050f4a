/** How fast pods find their nodes: the decision alone, and with everything that goes through the embedded API server. */
import { MemoryLogger, parallelize, systemWorld, TurnBudget } from "../../src/base/mod.ts";
import { type Node, NODES, type Pod, PODS, type PodSpec, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { Client } from "../../src/client/mod.ts";
import { createApiServer, Scheduler } from "../../src/sandbox/mod.ts";
import { chooseNode, ClusterState, podInfo } from "../../src/sandbox/scheduler/mod.ts";

const OWNER = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true };
const SPREAD = {
  topologyKey: "zone",
  maxSkew: 1,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "web" } },
};

function node(i: number): Node {
  const allocatable = { cpu: "64", memory: "256Gi", pods: "10000" };
  return { metadata: { name: `node-${i}`, labels: { zone: `${i % 3}` } }, status: { allocatable } };
}

function pod(i: number, spec: Partial<PodSpec> = {}): Pod {
  const resources = { requests: { cpu: "100m", memory: "100Mi" } };
  return {
    metadata: {
      name: `pod-${i}`,
      namespace: "default",
      uid: `u${i}`,
      labels: { app: "web" },
      ownerReferences: [OWNER],
    },
    spec: { containers: [{ name: "c", image: "nginx:1", resources }], ...spec },
  };
}

async function choose(nodes: number, pods: number, spec: Partial<PodSpec> = {}): Promise<void> {
  const budget = new TurnBudget(systemWorld(new MemoryLogger()).clock);
  const state = new ClusterState();
  for (let i = 0; i < nodes; i++) state.putNode(node(i));
  for (let i = 0; i < pods; i++) {
    const info = podInfo(pod(i, spec));
    const choice = await budget.run(chooseNode(info, state));
    if (choice.kind === "none") throw new Error(choice.message);
    state.putPod(info, choice.node);
  }
}

Deno.bench("choose nodes: 1,000 pods on 100 nodes", () => choose(100, 1000));
Deno.bench("choose nodes: 1,000 pods on 1,000 nodes", () => choose(1000, 1000));
Deno.bench(
  "choose nodes: 1,000 pods with a spread constraint on 100 nodes",
  () => choose(100, 1000, { topologySpreadConstraints: [SPREAD] }),
);

Deno.bench({
  name: "schedule 10,000 pods on 100 nodes through the embedded API server",
  n: 1,
  warmup: 0,
  async fn(bench) {
    const world = systemWorld(new MemoryLogger());
    const server = createApiServer({ world });
    const client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "bench" });
    await client.create(SERVICEACCOUNTS, { metadata: { name: "default", namespace: "default" } });
    for (let i = 0; i < 100; i++) {
      await client.create(NODES, node(i));
      await client.patch(NODES, { name: `node-${i}` }, { type: "merge", body: { spec: { taints: null } } });
    }
    await parallelize(
      32,
      10_000,
      async (i) => void await client.create(PODS, { ...pod(i), metadata: { name: `pod-${i}`, namespace: "default" } }),
    );
    const stop = new AbortController();
    bench.start();
    const running = new Scheduler({ world, client }).run(stop.signal);
    const waiting = () => client.list(PODS, { fieldSelector: "spec.nodeName=", limit: 1 });
    while ((await waiting()).items.length > 0) {
      await new Promise((resolve) => world.clock.setTimer(50, () => resolve(0)));
    }
    bench.end();
    stop.abort();
    await running;
    server.close();
  },
});
