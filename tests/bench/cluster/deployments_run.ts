/** One manager from its start on, idle or with Deployments, on a control plane of its own. */
import { DEPLOYMENTS, NAMESPACES, PODS, REPLICASETS, type Resource, SERVICEACCOUNTS } from "../../../src/api/mod.ts";
import { parallelize } from "../../../src/base/mod.ts";
import type { Client } from "../../../src/client/mod.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import { kubeadmFlags } from "../../controlplane/kubeadm_flags.ts";
import { FIRST_SIX } from "../../controlplane/manager.ts";
import { eventually, type Process } from "../../controlplane/process.ts";
import { deployment } from "../../scenarios/kit.ts";
import type { Contestant } from "./contestants.ts";
import { countedClient } from "./counted_client.ts";
import { count, PATIENCE, sleepS } from "./loads/kit.ts";
import { type Cost, Meter } from "./meter.ts";
import { statusMiB } from "./process_figures.ts";
import { openWatchesOf } from "./requests.ts";

/** How many Deployments, of how many pods each; none for an idle manager. */
export interface DeploymentLoad {
  readonly deployments: number;
  readonly replicas: number;
}

export interface RunFigures {
  /** From the process's start until a new namespace has its ServiceAccount. */
  readonly reactsS: number;
  /** What each part cost, by its name. */
  readonly costs: ReadonlyMap<string, Cost>;
  readonly watches: number;
  /** Resident, at the end of the idle time. */
  readonly idleMiB: number;
  readonly peakMiB: number;
}

/** What counts as the start, whatever a manager does in it, and how long it then idles where that is all that is measured. */
const START_S = 10;
const IDLE_S = 30;
const NAMESPACE = "load";
/** Creations and patches under way at a time. */
const AT_ONCE = 32;
const UNHURRIED = ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"];

/** Runs `contestant` once. */
export async function runDeployments(contestant: Contestant, load: DeploymentLoad): Promise<RunFigures> {
  await using plane = await ControlPlane.start({ apiserverFlags: UNHURRIED });
  const sent: Record<string, number> = {};
  const client = await countedClient(plane, sent);
  const ownWatches = openWatchesOf(await plane.ask("/metrics") ?? "");
  await using meter = await Meter.of(plane, sent);
  const costs = new Map<string, Cost>();
  const part = async (name: string, work: () => Promise<void>) => void costs.set(name, await meter.cost(work));
  await kubeadmFlags(plane, plane.port); // writes files, which is no part of a manager's start
  const isIdle = load.deployments === 0;
  let process!: Process;
  let reactsS = 0;
  await part("start", async () => {
    const began = performance.now();
    const secondsSince = () => (performance.now() - began) / 1000;
    ({ process } = await contestant.start(plane, { controllers: FIRST_SIX, waitForLease: false }));
    meter.watch(process);
    await client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
    await eventually("there is a ServiceAccount", async () => await count(client, SERVICEACCOUNTS, NAMESPACE) > 0, {
      ...PATIENCE,
      everyMs: 20,
    });
    reactsS = secondsSince();
    await sleepS(Math.max(0, START_S - secondsSince()));
  });
  if (isIdle) await part("idle", () => sleepS(IDLE_S));
  const idleMiB = await statusMiB(process.pid, "VmRSS");
  const watches = openWatchesOf(await plane.ask("/metrics") ?? "") - ownWatches;
  if (!isIdle) {
    await part("up", () => create(client, load));
    await part("to zero", () => scale(client, load, 0));
    await part("up again", () => scale(client, load, load.replicas));
    await part("deleted", () => deleteAll(client));
  }
  const figures = { reactsS, costs, watches, idleMiB, peakMiB: await statusMiB(process.pid, "VmHWM") };
  await process.stop();
  return figures;
}

async function create(client: Client, { deployments, replicas }: DeploymentLoad): Promise<void> {
  await parallelize(AT_ONCE, deployments, async (i) => {
    await client.createMetadata(DEPLOYMENTS, deployment(`d${i}`, { replicas }), { namespace: NAMESPACE });
  });
  await untilThereAre(client, PODS, deployments * replicas);
}

async function scale(client: Client, { deployments }: DeploymentLoad, replicas: number): Promise<void> {
  await parallelize(AT_ONCE, deployments, async (i) => {
    const patch = { type: "merge", body: { spec: { replicas } } } as const;
    await client.patchMetadata(DEPLOYMENTS, { namespace: NAMESPACE, name: `d${i}` }, patch);
  });
  await untilThereAre(client, PODS, deployments * replicas);
}

async function deleteAll(client: Client): Promise<void> {
  await client.deleteCollection(DEPLOYMENTS, { namespace: NAMESPACE, propagationPolicy: "Background" });
  await untilThereAre(client, PODS, 0);
  await untilThereAre(client, REPLICASETS, 0);
}

async function untilThereAre(client: Client, resource: Resource, wanted: number): Promise<void> {
  const are = async () => await count(client, resource, NAMESPACE) === wanted;
  await eventually(`there are ${wanted} ${resource.plural}`, are, PATIENCE);
}
