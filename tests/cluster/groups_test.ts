// deno-lint-ignore-file no-console -- latencies are figures to report
/** Controller groups that fail alone, under load on a real server. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CONFIGMAPS, DEPLOYMENTS } from "../../src/api/mod.ts";
import { AuditLog, WRITES } from "../controlplane/audit_log.ts";
import { leaseHolder, THREE_GROUPS } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { deployment } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { type Fault, FAULTS, REASONS } from "./faults.ts";
import { FaultyManager } from "./faulty_cluster.ts";
import { Rollouts } from "./rollouts.ts";
import { median, RoundTrips } from "./round_trips.ts";

const GROUPS = ["workloads", "garbage", "rest"];
const BASELINE_MS = 8_000;

/**
 * Whether a group answers as without faults, in the median, while another is away. Threads share what processors a machine has,
 * and one that spins or starts anew takes its part: so anything up to ten times as long counts as noise, and anything up to half
 * the time that the other was away, since a group that waited for the other would wait that long. The figures are printed.
 */
function isNoise(
  ms: number,
  { baselineMs, awayMs }: { readonly baselineMs: number; readonly awayMs: number },
): boolean {
  return ms <= Math.max(10 * baselineMs, awayMs / 2);
}

interface Suffering {
  readonly group: string;
  readonly fault: Fault;
  readonly startMs: number;
  readonly endMs: number;
}

/** Makes one group fail, and waits until it is back at work. */
async function suffer(
  { manager, roundTrips }: { readonly manager: FaultyManager; readonly roundTrips: RoundTrips },
  group: string,
  fault: Fault,
): Promise<Suffering> {
  const before = await manager.failures();
  const startMs = performance.now();
  await manager.inject(group, fault);
  await manager.lacks(group);
  await manager.ready();
  await roundTrips.answered(group, performance.now());
  const endMs = performance.now();
  const key = `${group} ${REASONS[fault]}`;
  assertEquals(await manager.failures(), { ...before, [key]: (before[key] ?? 0) + 1 }, manager.groupLines);
  return { group, fault, startMs, endMs };
}

/** Prints how the other groups answered meanwhile. @returns What is more than noise. */
function slowedDown(
  sufferings: readonly Suffering[],
  trips: RoundTrips,
  baseline: ReadonlyMap<string, number>,
): string[] {
  const slow: string[] = [];
  for (const { group, fault, startMs, endMs } of sufferings) {
    const awayMs = endMs - startMs;
    const others = GROUPS.filter((other) => other !== group).map((other) => {
      const ms = median(trips.between(other, startMs, endMs));
      const baselineMs = baseline.get(other)!;
      const line = `${other} ${ms.toFixed(0)} ms (without faults ${baselineMs.toFixed(0)} ms)`;
      if (!isNoise(ms, { baselineMs, awayMs })) slow.push(`${fault} of ${group}, away for ${awayMs} ms: ${line}`);
      return line;
    });
    console.log(`${fault} of ${group}: back after ${Math.round(awayMs)} ms; meanwhile ${others.join(", ")}`);
  }
  return slow;
}

function assertLogged(lines: string): void {
  for (const group of GROUPS) {
    for (const reason of ["made to crash", "its event loop has not turned for", "its heap takes"]) {
      const start = `"Controller group failed and is being restarted" group="${group}"`;
      assert(lines.split("\n").some((line) => line.includes(start) && line.includes(reason)), `${group}: ${reason}`);
    }
  }
}

/** Makes a group fail again and again: in the end it stays down, and the process says so and lives. */
async function breakForGood(manager: FaultyManager, group: string): Promise<void> {
  await manager.inject(group, "doom");
  await eventually(`group ${group} stays down`, () => manager.groupLines.includes("has failed too often"), {
    withinMs: 120_000,
  });
  assertStringIncludes(manager.groupLines, `stays down" group="${group}" controllers=`);
  await manager.lacks(group);
  assertEquals((await manager.get("/healthz")).status, 500);
  assertEquals(manager.process.exit, undefined);
}

clusterTest(
  "a controller group that crashes, freezes or leaks fails alone: nothing is missed or made twice",
  async () => {
    await using audit = await AuditLog.create(WRITES);
    await using cluster = await Cluster.start({ apiserverFlags: audit.flags, simulated: { untaint: true } });
    const { kubeconfig } = cluster.plane;
    const manager = await FaultyManager.start(cluster.plane, { kubeconfig, groups: THREE_GROUPS });
    await manager.ready();
    await eventually("it leads", async () => await leaseHolder(cluster.plane) !== "");
    const [load, trips] = [await cluster.namespace("load"), await cluster.namespace("trips")];
    await using stack = new AsyncDisposableStack();
    const roundTrips = stack.use(await RoundTrips.start(trips, await cluster.namespace("accounts")));
    const rollouts = stack.use(new Rollouts(load));

    const startMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, BASELINE_MS));
    const baselineEndMs = performance.now();
    const sufferings: Suffering[] = [];
    for (const fault of FAULTS) {
      for (const group of GROUPS) sufferings.push(await suffer({ manager, roundTrips }, group, fault));
    }
    const baseline = new Map(GROUPS.map((group) => [group, median(roundTrips.between(group, startMs, baselineEndMs))]));
    assertEquals(slowedDown(sufferings, roundTrips, baseline), []);
    assertLogged(manager.groupLines);

    await breakForGood(manager, "rest");
    await stack.disposeAsync();
    await load.create(DEPLOYMENTS, deployment("last"));
    await load.until(DEPLOYMENTS, "last", "is complete", ({ status }) => status?.availableReplicas === 3);
    await load.delete(DEPLOYMENTS, "last", "Background");
    await rollouts.converged();
    await trips.untilAll(CONFIGMAPS, "what nobody owns is gone", (all) => all.length === 1);
    rollouts.assertMadeOnce((await audit.requests()).filter(({ object }) => object?.metadata?.labels?.app !== "last"));
    console.log(`${rollouts.count} Deployments made, changed and deleted meanwhile`);
    assertEquals(await manager.process.stop(), { code: 0, signal: null });
  },
);

for (const [group, why] of [["missing", "Module not found"], ["unloadable", "this module cannot be loaded"]]) {
  clusterTest(`a controller group whose worker is ${group} ends the start with one line`, async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { process } = await FaultyManager.start(cluster.plane, {
      kubeconfig: cluster.plane.kubeconfig,
      groups: `${group}=deployment-controller`,
    });
    assertEquals(await eventually("it ends", () => process.exit), { code: 1, signal: null });
    const lines = process.output.split("\n").filter((line) => /^[EF]\d{4} /.test(line));
    assertEquals(lines.length, 1, process.output);
    assertStringIncludes(lines[0], `the thread of controller group \\"${group}\\" cannot start`);
    assertStringIncludes(lines[0], why);
  });
}
