import { ControlPlane } from "../../../controlplane/control_plane.ts";
import { kubeadmFlags } from "../../../controlplane/kubeadm_flags.ts";
import { dropLease } from "../../../controlplane/manager.ts";
import type { Process } from "../../../controlplane/process.ts";
import type { Contestant } from "../contestants.ts";
import { countedClient } from "../counted_client.ts";
import { sleepS } from "../loads/kit.ts";
import { type Cost, Meter } from "../meter.ts";
import { cpuSeconds, statusMiB } from "../process_figures.ts";
import { median } from "../statistics.ts";
import { change, renewLease } from "./churn.ts";
import { secondsToPod } from "./latency.ts";
import type { Population } from "./population.ts";
import { Steady } from "./steady.ts";

export interface ScaleOptions {
  readonly population: Population;
  /** What counts as the start, or as long as it takes. */
  readonly startS: number;
  /** How long things change; 0 for a cold start only. */
  readonly seconds: number;
  readonly changesPerS: number;
  /** How often each node renews its lease. */
  readonly renewEveryS: number;
}

/** What a manager took. */
export interface ScaleFigures {
  /** From the process's start until a Deployment that was made meanwhile has its pod. */
  readonly coldS: number;
  readonly coldCpuS: number;
  readonly start: Cost;
  readonly startPeakMiB: number;
  readonly settledMiB: number;
  readonly churn: Cost;
  /** As many as the server took. */
  readonly changesPerS: number;
  readonly latencyS: number;
  readonly longestLatencyS: number;
  readonly peakMiB: number;
  readonly endMiB: number;
}

const PROBE_EVERY_S = 5;
const REST_S = 15;

export const LARGE_SERVER = [
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=3000",
];
/**
 * Room for the addresses of thousands of nodes; patience on a machine where all of a cluster shares two processors; and no limit of
 * 20 requests a second and controller, by which both managers would fall behind more than 16 changes a second.
 */
export const CLUSTER_FLAGS = [
  "--kube-api-qps=1000",
  "--kube-api-burst=1000",
  "--cluster-cidr=100.64.0.0/10",
  "--node-monitor-grace-period=5m",
  "--leader-elect-lease-duration=120s",
  "--leader-elect-renew-deadline=110s",
];

/** Runs `contestant` on a new server that begins with `data`. */
export async function runScale(
  contestant: Contestant,
  data: string,
  { population, startS, seconds, changesPerS, renewEveryS }: ScaleOptions,
): Promise<ScaleFigures & { readonly output: string }> {
  await using plane = await ControlPlane.start({ apiserverFlags: LARGE_SERVER, data });
  await dropLease(plane);
  const sent: Record<string, number> = {};
  const client = await countedClient(plane, sent);
  await kubeadmFlags(plane, plane.port); // writes files, which is no part of a manager's start
  await using leases = new Steady(population.nodes / renewEveryS, renewLease(client, population));
  await using meter = await Meter.of(plane, sent);

  let process!: Process;
  let [coldS, coldCpuS] = [0, 0];
  const start = await meter.cost(async () => {
    const began = performance.now();
    const secondsSince = () => (performance.now() - began) / 1000;
    ({ process } = await contestant.start(plane, { flags: CLUSTER_FLAGS, waitForLease: false }));
    meter.watch(process);
    await secondsToPod(client);
    [coldS, coldCpuS] = [secondsSince(), await cpuSeconds(process.pid)];
    await sleepS(Math.max(0, startS - secondsSince()));
  });
  const startPeakMiB = await statusMiB(process.pid, "VmHWM");
  const settledMiB = await statusMiB(process.pid, "VmRSS");

  const latencies: number[] = [];
  let done = 0;
  const churn = await meter.cost(async () => {
    const began = performance.now();
    const isOver = () => (performance.now() - began) / 1000 >= seconds;
    if (isOver()) return;
    await using changes = new Steady(changesPerS, change(client, population));
    while (!isOver()) {
      await sleepS(PROBE_EVERY_S);
      latencies.push(await secondsToPod(client));
    }
    done = changes.done;
  });
  if (seconds > 0) await sleepS(REST_S);
  const figures = {
    coldS,
    coldCpuS,
    start,
    startPeakMiB,
    settledMiB,
    churn,
    changesPerS: done / churn.seconds,
    latencyS: latencies.length > 0 ? median(latencies) : 0,
    longestLatencyS: Math.max(0, ...latencies),
    peakMiB: await statusMiB(process.pid, "VmHWM"),
    endMiB: await statusMiB(process.pid, "VmRSS"),
  };
  await leases[Symbol.asyncDispose]();
  await process.stop();
  return { ...figures, output: process.output };
}
