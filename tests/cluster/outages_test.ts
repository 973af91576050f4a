// deno-lint-ignore-file no-console -- when a node was said to be ill is worth knowing
/**
 * Outages during which every node is well and nobody can see it: no pod is deleted, and nodes keep their state. A node's grace period
 * is 24 s here instead of 50, and pods leave an ill node after one second: an outage of 40 s proves what one of ten minutes would.
 *
 * `KUBELOOP_OUTAGE_SECONDS=600` plays outages of that length with kubeadm's grace periods.
 */
import { assert, assertEquals } from "@std/assert";
import { findCondition, NODES, type Pod, PODS, type Toleration } from "../../src/api/mod.ts";
import { dropLease, type Manager, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const LONG_OUTAGE_S = Number(Deno.env.get("KUBELOOP_OUTAGE_SECONDS") ?? 0);
const GRACE_S = LONG_OUTAGE_S > 0 ? 50 : 24;
const OUTAGE_MS = 1_000 * (LONG_OUTAGE_S || GRACE_S + 16);
/** So short that leases are late only if somebody is slow to look at them again. */
const SHORT_OUTAGE_MS = 1_000 * (GRACE_S - 6);
const HASTE = LONG_OUTAGE_S > 0 ? [] : [
  "--node-monitor-period=1s",
  `--node-monitor-grace-period=${GRACE_S}s`,
  `--node-startup-grace-period=${GRACE_S}s`,
];
/** A leader that outlives the outage. */
const PATIENT_LEASE = ["--leader-elect-lease-duration=3600s", "--leader-elect-renew-deadline=3000s"];
/** Longer than a silent node would keep its pods. */
const WATCHED_MS = 1_000 * (GRACE_S + 11);

const TOLERATIONS: Toleration[] = ["unreachable", "not-ready"].map((ill) => ({
  key: `node.kubernetes.io/${ill}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 1,
}));

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** A cluster whose nodes are well and have a pod each that would leave them within a second. */
async function inhabited(flags: readonly string[]): Promise<{ cluster: Cluster; manager: Manager }> {
  const cluster = await Cluster.start();
  try {
    const manager = await startManager(cluster.plane, "kubeloop", { flags: [...HASTE, ...flags] });
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

async function withoutServer({ plane }: Cluster, outageMs: number): Promise<void> {
  await plane.killApiserver();
  await pause(outageMs);
  await plane.startApiserver();
}

/** Upstream's manager may take nodes for silent for a moment, and evict pods that leave at once. */
async function outlives(outageMs: number): Promise<void> {
  const { cluster, manager } = await inhabited(PATIENT_LEASE);
  await using _end = cluster;
  const kit = cluster.kit("homes");
  const [before, since] = [await pods(kit), await readySince(cluster)];
  await withoutServer(cluster, outageMs);
  assertEquals(await watched(cluster), [WELL]);
  assertEquals(manager.process.exit, undefined, "it ended");
  assertEquals([await pods(kit), await readySince(cluster)], [before, since]);
  await isAtWork(cluster);
}

/** A node that does fall silent is found silent, and loses its pod. */
async function isAtWork(cluster: Cluster): Promise<void> {
  const [node] = cluster.simulator.nodeNames;
  cluster.simulator.stopNode(node);
  const kit = cluster.kit("homes");
  await kit.until(PODS, `on-${node}`, "is evicted", ({ metadata }) => metadata?.deletionTimestamp);
}

/** It ends as it cannot renew its lease, and another one begins when the server is back. */
async function restarts(): Promise<void> {
  const { cluster, manager } = await inhabited([]);
  await using _end = cluster;
  const kit = cluster.kit("homes");
  const [before, since] = [await pods(kit), await readySince(cluster)];
  const ended = manager.process.exited;
  await withoutServer(cluster, OUTAGE_MS);
  assertEquals((await ended).code, 1);
  await dropLease(cluster.plane);
  await startManager(cluster.plane, "kubeloop", { flags: HASTE });
  assertEquals(await watched(cluster), [WELL]);
  assertEquals([await pods(kit), await readySince(cluster)], [before, since]);
  await isAtWork(cluster);
}

async function resumes(): Promise<void> {
  const { cluster, manager } = await inhabited([]);
  await using _end = cluster;
  const kit = cluster.kit("homes");
  const [before, since] = [await pods(kit), await readySince(cluster)];
  await manager.process.stop({ signal: "SIGKILL" });
  await dropLease(cluster.plane);
  await pause(OUTAGE_MS);
  const again = await startManager(cluster.plane, "kubeloop", { flags: HASTE });
  assertEquals(await watched(cluster), [WELL]);
  assertEquals([await pods(kit), await readySince(cluster)], [before, since]);
  assert(!again.process.exit, "it ended");
  await isAtWork(cluster);
}

const OUTAGES: Readonly<Record<string, () => Promise<void>>> = {
  "the API server is gone for longer than all grace periods": () => outlives(OUTAGE_MS),
  "the API server is gone for less than a grace period": () => outlives(SHORT_OUTAGE_MS),
  "the manager loses its lease meanwhile and starts again": restarts,
  "the manager is away for longer than all grace periods": resumes,
};

clusterTest("Outages that hide nodes that are well cost none of them its pods", async () => {
  // Nearly all of it is waiting: each has a cluster of its own.
  const ends = await Promise.allSettled(Object.values(OUTAGES).map((play) => play()));
  const names = Object.keys(OUTAGES);
  const failures = ends.flatMap((end, i) =>
    end.status === "rejected" ? [new Error(names[i], { cause: end.reason })] : []
  );
  if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join("; "));
});
