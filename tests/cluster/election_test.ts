// deno-lint-ignore-file no-console -- hand-over times are figures to report
/** Three processes and one lease on a real server. */
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { DEPLOYMENTS, LEASES, PODS } from "../../src/api/mod.ts";
import { leaseHolder, type Manager, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { deployment, type Kit } from "../scenarios/kit.ts";

/** Lease plus the longest retry of a standby (2 s x 2.2), plus what a loaded machine may take to start controllers. */
const FAILOVER_MS = 15_000 + 4_400 + 60_000;

async function startThree(cluster: Cluster): Promise<Manager[]> {
  const first = await startManager(cluster.plane, "kubeloop");
  const rest = await Promise.all([1, 2].map(() => startManager(cluster.plane, "kubeloop", { waitForLease: false })));
  return [first, ...rest];
}

/** The manager whose log says that it leads under the lease's identity. */
async function leaderOf(cluster: Cluster, managers: readonly Manager[]): Promise<Manager> {
  return await eventually("one of the managers leads", async () => {
    const holder = await leaseHolder(cluster.plane);
    return managers.find(({ process }) =>
      !process.exit && process.output.includes(holder) && holder !== "" &&
      process.output.includes("became leader")
    );
  });
}

/** @returns How many milliseconds passed until the pods existed. */
async function rollsOut(kit: Kit, name: string, withinMs: number): Promise<number> {
  const startMs = performance.now();
  await kit.create(DEPLOYMENTS, deployment(name, { replicas: 2 }));
  await eventually(`Deployment ${name} has its pods`, async () => (await kit.list(PODS, `app=${name}`)).length === 2, {
    withinMs,
  });
  return performance.now() - startMs;
}

clusterTest("one manager acts at a time: SIGKILL, SIGTERM and SIGSTOP of the leader", async () => {
  await using cluster = await Cluster.start();
  const managers = await startThree(cluster);
  const kit = await cluster.namespace("work");
  await rollsOut(kit, "first", 60_000);

  // SIGKILL: another acts within lease and retry
  const killed = await leaderOf(cluster, managers);
  await killed.process.stop({ signal: "SIGKILL" });
  const afterKillMs = await rollsOut(kit, "after-kill", FAILOVER_MS);

  // SIGTERM: the lease is released, and a standby that watches it acts at once
  const stopped = await leaderOf(cluster, managers.filter((m) => m !== killed));
  const before = await leaseHolder(cluster.plane);
  assertEquals(await stopped.process.stop(), { code: 0, signal: null });
  const released = await cluster.client.get(LEASES, { namespace: "kube-system", name: "kube-controller-manager" });
  assertNotEquals(released.spec?.holderIdentity, before, "the lease was released on exit");
  const afterTermMs = await rollsOut(kit, "after-term", FAILOVER_MS);

  console.log(`pods after SIGKILL in ${Math.round(afterKillMs)} ms, after SIGTERM in ${Math.round(afterTermMs)} ms`);

  // SIGSTOP beyond the lease: when it wakes, it writes nothing and goes
  const frozen = await leaderOf(cluster, managers.filter((m) => m !== killed && m !== stopped));
  const fresh = await startManager(cluster.plane, "kubeloop", { waitForLease: false });
  const frozenHolder = await leaseHolder(cluster.plane);
  await kit.merge(DEPLOYMENTS, "first", { spec: { replicas: 3 } });
  frozen.process.signal("SIGSTOP");
  await eventually("another holds the lease", async () => await leaseHolder(cluster.plane) !== frozenHolder, {
    withinMs: FAILOVER_MS,
  });
  await rollsOut(kit, "while-frozen", FAILOVER_MS);
  await fresh.process.stop();
  await eventually("nobody holds the lease", async () => await leaseHolder(cluster.plane) === "");
  const outputBefore = frozen.process.output.length;
  const was = await kit.client.list(PODS, { namespace: "work" });
  await kit.create(DEPLOYMENTS, deployment("unseen", { replicas: 2 }));
  frozen.process.signal("SIGCONT");
  const exit = await eventually("the frozen manager ends", () => frozen.process.exit, { withinMs: 60_000 });
  assertEquals(exit.code, 1);
  assertStringIncludes(frozen.process.output.slice(outputBefore), "leaderelection lost");
  const now = await kit.client.list(PODS, { namespace: "work" });
  assertEquals(now.items.length, was.items.length, "it made no pod after it woke");
  assert(!(await cluster.client.get(DEPLOYMENTS, { namespace: "work", name: "unseen" })).status?.observedGeneration);
});
