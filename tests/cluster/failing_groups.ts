// deno-lint-ignore-file no-console -- latencies are figures to report
/** Controller groups that fail in one way, each in its turn, under load on a real server. */
import { assert, assertEquals } from "@std/assert";
import { CONFIGMAPS } from "../../src/api/mod.ts";
import { AuditLog, WRITES } from "../controlplane/audit_log.ts";
import { leaseHolder, THREE_GROUPS } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { Cluster } from "./cluster.ts";
import { type Fault, REASONS } from "./faults.ts";
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

const LOGGED: Readonly<Record<Fault, string>> = {
  crash: "made to crash",
  freeze: "its event loop has not turned for",
  leak: "its heap takes",
};

function assertLogged(lines: string, fault: Fault): void {
  for (const group of GROUPS) {
    const start = `"Controller group failed and is being restarted" group="${group}"`;
    assert(lines.split("\n").some((line) => line.includes(start) && line.includes(LOGGED[fault])), group);
  }
}

/** Starts a manager whose groups can be made to fail, and waits until it leads. */
export async function startLeading({ plane }: Cluster): Promise<FaultyManager> {
  const manager = await FaultyManager.start(plane, { kubeconfig: plane.kubeconfig, groups: THREE_GROUPS });
  await manager.ready();
  await eventually("it leads", async () => await leaseHolder(plane) !== "");
  return manager;
}

/** Nothing is missed or made twice while each group fails in this way, and the others hardly notice. */
export async function failAlone(fault: Fault): Promise<void> {
  await using audit = await AuditLog.create(WRITES);
  await using cluster = await Cluster.start({ apiserverFlags: audit.flags, simulated: { untaint: true } });
  const manager = await startLeading(cluster);
  const [load, trips] = [await cluster.namespace("load"), await cluster.namespace("trips")];
  await using stack = new AsyncDisposableStack();
  const roundTrips = stack.use(await RoundTrips.start(trips, await cluster.namespace("accounts")));
  const rollouts = stack.use(new Rollouts(load));

  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, BASELINE_MS));
  const baselineEndMs = performance.now();
  const sufferings: Suffering[] = [];
  for (const group of GROUPS) sufferings.push(await suffer({ manager, roundTrips }, group, fault));
  const baseline = new Map(GROUPS.map((group) => [group, median(roundTrips.between(group, startMs, baselineEndMs))]));
  assertEquals(slowedDown(sufferings, roundTrips, baseline), []);
  assertLogged(manager.groupLines, fault);

  await stack.disposeAsync();
  await rollouts.converged();
  await trips.untilAll(CONFIGMAPS, "what nobody owns is gone", (all) => all.length === 1);
  rollouts.assertMadeOnce(await audit.requests());
  console.log(`${rollouts.count} Deployments made, changed and deleted meanwhile`);
  assertEquals(await manager.process.stop(), { code: 0, signal: null });
}
