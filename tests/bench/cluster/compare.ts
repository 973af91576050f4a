// deno-lint-ignore-file no-console -- it is there to print
/**
 * kubeloop beside upstream's manager, whole process, same server, same flags: Deployments to all pods existing, then to none.
 * Prints a table of time, CPU and memory with ratios, idle and under load, and how many watches each has open.
 * Run: `deno task bench:cluster [ROUNDS]`, with `KUBELOOP_EXECUTABLE=$PWD/dist/kubeloop` for the executable and with
 * `KUBELOOP_FLAGS=--controller-groups=none` for one thread.
 */
import { DEPLOYMENTS, NAMESPACES, PODS, REPLICASETS, type Resource } from "../../../src/api/mod.ts";
import type { Client } from "../../../src/client/mod.ts";
import { clientOf } from "../../cluster/cluster.ts";
import { deployment } from "../../scenarios/kit.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import { FIRST_SIX, type ManagerKind, startManager } from "../../controlplane/manager.ts";
import { eventually } from "../../controlplane/process.ts";
import { cpuSeconds, statusMiB } from "./process_figures.ts";

interface Load {
  readonly deployments: number;
  readonly replicas: number;
}

interface Figures {
  readonly watches: number;
  /** Processor time of the first ten seconds, start included. */
  readonly startCpuS: number;
  readonly idleCpuS: number;
  readonly idleMiB: number;
  readonly upS: number;
  readonly downS: number;
  readonly cpuS: number;
  readonly peakMiB: number;
}

const LOADS: readonly Load[] = [{ deployments: 100, replicas: 20 }, { deployments: 200, replicas: 50 }];
/** Watches that are open on the server. */
async function openWatches(plane: ControlPlane): Promise<number> {
  const text = await plane.kubectl(["get", "--raw", "/metrics"]);
  const gauge = /^apiserver_longrunning_requests\{.*verb="WATCH".*\} (\d+)$/gm;
  return [...text.matchAll(gauge)].reduce((sum, [, value]) => sum + Number(value), 0);
}

const IDLE_S = 10;
/** How many objects of a kind exist, for the price of reading one. */
async function count(client: Client, resource: Resource): Promise<number> {
  const { items, metadata } = await client.listMetadata(resource, { namespace: "load", limit: 1 });
  return items.length + (metadata?.remainingItemCount ?? 0);
}

async function measure(kind: ManagerKind, { deployments, replicas }: Load): Promise<Figures> {
  await using plane = await ControlPlane.start({
    apiserverFlags: ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"],
  });
  const { client } = await clientOf(plane.kubeconfig);
  const ownWatches = await openWatches(plane);
  const { process } = await startManager(plane, kind, { controllers: FIRST_SIX });
  await client.create(NAMESPACES, { metadata: { name: "load" } });
  await eventually("namespace load is ready", () => plane.kubectl(["get", "serviceaccount", "default", "-n", "load"]));
  const patience = { withinMs: 300_000, everyMs: 50 };
  await sleepS(IDLE_S);
  const startCpuS = await cpuSeconds(process.pid);
  await sleepS(IDLE_S);
  const idle = {
    watches: await openWatches(plane) - ownWatches,
    startCpuS,
    idleCpuS: await cpuSeconds(process.pid) - startCpuS,
    idleMiB: await statusMiB(process.pid, "VmRSS"),
  };

  const upFrom = performance.now();
  await Promise.all(
    Array.from(
      { length: deployments },
      (_, i) => client.create(DEPLOYMENTS, deployment(`d${i}`, { replicas }), { namespace: "load" }),
    ),
  );
  await eventually("all pods exist", async () => await count(client, PODS) === deployments * replicas, patience);
  const upS = (performance.now() - upFrom) / 1000;

  const downFrom = performance.now();
  await client.deleteCollection(DEPLOYMENTS, { namespace: "load", propagationPolicy: "Background" });
  await eventually(
    "nothing is left",
    async () => await count(client, PODS) === 0 && await count(client, REPLICASETS) === 0,
    patience,
  );
  const downS = (performance.now() - downFrom) / 1000;
  const cpuS = await cpuSeconds(process.pid);
  const figures = { ...idle, upS, downS, cpuS, peakMiB: await statusMiB(process.pid, "VmHWM") };
  await process.stop();
  return figures;
}

const sleepS = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const FIGURES = ["watches", "startCpuS", "idleCpuS", "idleMiB", "upS", "downS", "cpuS", "peakMiB"] as const;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const rounds = Number(Deno.args[0] ?? 1);
console.log("| load | figure | upstream | kubeloop | ratio |\n|---|---|---|---|---|");
for (const load of LOADS) {
  const runs: Record<ManagerKind, Figures[]> = { upstream: [], kubeloop: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ["upstream", "kubeloop"] as const) runs[kind].push(await measure(kind, load));
  }
  for (const figure of FIGURES) {
    const [theirs, ours] = [median(runs.upstream.map((r) => r[figure])), median(runs.kubeloop.map((r) => r[figure]))];
    console.log(
      `| ${load.deployments} x ${load.replicas} | ${figure} | ${theirs.toFixed(1)} | ${ours.toFixed(1)} | ${
        (ours / theirs).toFixed(2)
      } |`,
    );
  }
}
