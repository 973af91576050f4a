// deno-lint-ignore-file no-console -- when a node was said to be ill is worth knowing
/**
 * Outages during which every node is well and nobody can see it: no pod is deleted, and nodes keep their state. A node's grace period
 * is 24 s here instead of 50, and pods leave an ill node after one second: an outage of a minute proves what one of ten would.
 */
import { assert, assertEquals } from "@std/assert";
import { findCondition, NODES, type Pod, PODS, type Toleration } from "../../src/api/mod.ts";
import { dropLease, type Manager, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const HASTE = ["--node-monitor-period=1s", "--node-monitor-grace-period=24s", "--node-startup-grace-period=24s"];
/** A leader that outlives the outage. */
const PATIENT_LEASE = ["--leader-elect-lease-duration=600s", "--leader-elect-renew-deadline=500s"];
const OUTAGE_MS = 60_000;
/** Longer than a silent node would keep its pods. */
const WATCHED_MS = 35_000;

const TOLERATIONS: Toleration[] = ["unreachable", "not-ready"].map((ill) => ({
  key: `node.kubernetes.io/${ill}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 1,
}));

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** A cluster whose nodes are well and have a pod each that would leave them within a second. */
async function inhabited(kind: ManagerKind, flags: readonly string[]): Promise<{ cluster: Cluster; manager: Manager }> {
  const cluster = await Cluster.start();
  try {
    const manager = await startManager(cluster.plane, kind, { flags: [...HASTE, ...flags] });
    const kit = await cluster.namespace("homes");
    await eventually("all nodes are released", async () => {
      const all = await states(cluster);
      return all.length === 3 && all.every((state) => state === WELL);
    });
    await Promise.all(cluster.simulator.nodeNames.map((nodeName) =>
      kit.create<Pod>(PODS, {
        metadata: { name: `on-${nodeName}` },
        spec: { nodeName, tolerations: TOLERATIONS, containers: [{ name: "c", image: "nginx:1" }] },
      })
    ));
    await kit.untilAll(PODS, "are ready", (pods) => pods.length === 3 && pods.every(isReady));
    return { cluster, manager };
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

const WELL = "True";
const isReady = ({ status }: Pod) => findCondition(status?.conditions, "Ready")?.status === "True";

/** What each node is said to be, and its taints. */
async function states({ client }: Cluster): Promise<string[]> {
  const { items } = await client.list(NODES);
  return items.map(({ spec, status }) =>
    [
      findCondition(status?.conditions, "Ready")?.status,
      ...spec?.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [],
    ]
      .join(" ")
  );
}

/** Since when nodes are ready; what a manager says of them, kubelets mend at once. */
async function readySince({ client }: Cluster): Promise<(string | undefined)[]> {
  const { items } = await client.list(NODES);
  return items.map(({ status }) => findCondition(status?.conditions, "Ready")?.lastTransitionTime);
}

/** Pods that are there, which are ready and which are to go. */
async function pods(kit: Kit): Promise<string[]> {
  const all = await kit.list(PODS);
  return all.map((pod) => `${pod.metadata?.uid} ${isReady(pod)} ${pod.metadata?.deletionTimestamp ?? "stays"}`).sort();
}

/** What was seen of nodes while they were watched. */
async function watched(cluster: Cluster): Promise<string[]> {
  const seen = new Set<string>();
  const beganMs = performance.now();
  for (; performance.now() - beganMs < WATCHED_MS; await pause(300)) {
    for (const state of await states(cluster)) {
      if (!seen.has(state)) console.log(`after ${Math.round(performance.now() - beganMs)} ms: ${state}`);
      seen.add(state);
    }
  }
  return [...seen];
}

async function withoutServer({ plane }: Cluster): Promise<void> {
  await plane.killApiserver();
  await pause(OUTAGE_MS);
  await plane.startApiserver();
}

/** kubeloop lets nodes keep their state; upstream's may take them for silent for a moment. */
async function outlives(kind: ManagerKind): Promise<void> {
  const { cluster, manager } = await inhabited(kind, PATIENT_LEASE);
  await using _end = cluster;
  const kit = cluster.kit("homes");
  const [before, since] = [await pods(kit), await readySince(cluster)];
  await withoutServer(cluster);
  const seen = await watched(cluster);
  assertEquals(manager.process.exit, undefined, `${kind} ended`);
  assertEquals((await pods(kit)).map(withoutReadiness), before.map(withoutReadiness), kind);
  if (kind === "upstream") return;
  assertEquals(seen, [WELL]);
  assertEquals([await pods(kit), await readySince(cluster)], [before, since]);
  await isAtWork(cluster);
}

const withoutReadiness = (pod: string) => pod.replace(/ (true|false) /, " ");

/** A node that does fall silent is found silent, and loses its pod. */
async function isAtWork(cluster: Cluster): Promise<void> {
  const [node] = cluster.simulator.nodeNames;
  cluster.simulator.stopNode(node);
  const kit = cluster.kit("homes");
  await kit.until(PODS, `on-${node}`, "is evicted", ({ metadata }) => metadata?.deletionTimestamp);
}

clusterTest("An API server that is gone for longer than all grace periods costs no node its pods", async () => {
  await Promise.all([outlives("kubeloop"), outlives("upstream")]);
});

clusterTest(
  "A manager that lost its lease in an outage of the API server and starts again spares all pods",
  async () => {
    const { cluster, manager } = await inhabited("kubeloop", []);
    await using _end = cluster;
    const kit = cluster.kit("homes");
    const [before, since] = [await pods(kit), await readySince(cluster)];
    const ended = manager.process.exited;
    await withoutServer(cluster);
    assertEquals((await ended).code, 1);
    await dropLease(cluster.plane);
    await startManager(cluster.plane, "kubeloop", { flags: HASTE });
    assertEquals(await watched(cluster), [WELL]);
    assertEquals([await pods(kit), await readySince(cluster)], [before, since]);
    await isAtWork(cluster);
  },
);

async function resumes(kind: ManagerKind): Promise<void> {
  const { cluster, manager } = await inhabited(kind, []);
  await using _end = cluster;
  const kit = cluster.kit("homes");
  const [before, since] = [await pods(kit), await readySince(cluster)];
  await manager.process.stop({ signal: "SIGKILL" });
  await dropLease(cluster.plane);
  await pause(OUTAGE_MS);
  const again = await startManager(cluster.plane, kind, { flags: HASTE });
  assertEquals(await watched(cluster), [WELL], kind);
  assertEquals([await pods(kit), await readySince(cluster)], [before, since], kind);
  assert(!again.process.exit, `${kind} ended`);
  await isAtWork(cluster);
}

clusterTest("A manager that was away for longer than all grace periods finds well who is well", async () => {
  await Promise.all([resumes("kubeloop"), resumes("upstream")]);
});
