/** Going from one manager to the other in the middle of rolling updates, and back: no pod restarts, no revision comes. */
import { assertEquals } from "@std/assert";
import {
  CONTROLLERREVISIONS,
  type DaemonSet,
  DAEMONSETS,
  type DaemonSetSpec,
  type Pod,
  PODS,
  type PodTemplateSpec,
  STATEFULSETS,
  type StatefulSetSpec,
} from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { daemonSet, rolling } from "../scenarios/daemon_kit.ts";
import { type Kit, podTemplate } from "../scenarios/kit.ts";
import { setRolledOut, statefulSet, strangeTemplate } from "../scenarios/set_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** Pods that take long to be ready, so that there is a middle of the update. */
function slowTemplate(name: string): PodTemplateSpec {
  const { metadata, spec } = podTemplate(name, "nginx:2");
  return { metadata: { ...metadata, annotations: { "kubeloop.dev/ready-after": "4s" } }, spec };
}

const SETS: Readonly<Record<string, Partial<StatefulSetSpec>>> = {
  ordered: {},
  parallel: { podManagementPolicy: "Parallel" },
  partitioned: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 3 } } },
  untouched: { template: strangeTemplate("untouched") },
};
const DAEMONS: Readonly<Record<string, Partial<DaemonSetSpec>>> = {
  one: rollingSpec(1),
  surging: rollingSpec(0, 1),
  still: { template: strangeTemplate("still") },
};

function rollingSpec(maxUnavailable: number, maxSurge = 0): Partial<DaemonSetSpec> {
  return { updateStrategy: rolling(maxUnavailable, maxSurge) };
}

const stays = (name: string) => name === "untouched" || name === "still";

async function begin(kit: Kit): Promise<void> {
  const sets = Object.entries(SETS).map(async ([name, spec]) => {
    await kit.create(STATEFULSETS, statefulSet(name, { replicas: 4, ...spec }));
    await kit.until(STATEFULSETS, name, "is up", ({ status }) => status?.availableReplicas === 4);
  });
  const daemons = Object.entries(DAEMONS).map(async ([name, spec]) => {
    await kit.create(DAEMONSETS, daemonSet(name, spec));
    await kit.until(DAEMONSETS, name, "is up", ({ status }) => status?.numberAvailable === 3);
  });
  await Promise.all([...sets, ...daemons]);
}

/** Starts all updates, and comes back when each has made a new pod and none has come to its end. */
async function rollHalf(kit: Kit): Promise<void> {
  for (const name of Object.keys(SETS).filter((name) => !stays(name))) {
    await kit.merge(STATEFULSETS, name, { spec: { template: slowTemplate(name) } });
  }
  for (const name of Object.keys(DAEMONS).filter((name) => !stays(name))) {
    await kit.merge(DAEMONSETS, name, { spec: { template: slowTemplate(name) } });
  }
  for (const name of Object.keys(SETS).filter((name) => !stays(name))) {
    await kit.untilAll(PODS, `${name} has a new one`, (pods) => newPods(pods, name).length > 0);
  }
  for (const name of Object.keys(DAEMONS).filter((name) => !stays(name))) {
    await kit.untilAll(PODS, `${name} has a new one`, (pods) => newPods(pods, name).length > 0);
  }
}

function newPods(pods: readonly Pod[], app: string): Pod[] {
  return pods.filter(({ metadata, spec }) => metadata?.labels?.app === app && spec?.containers[0].image === "nginx:2");
}

/** What must not change: pods of sets that are not being rolled, and new pods of those that are. */
async function kept(kit: Kit): Promise<string[]> {
  const pods = await kit.list(PODS);
  const old = pods.filter(({ metadata }) => stays(metadata?.labels?.app ?? ""));
  return [...old, ...pods.filter(({ spec }) => spec?.containers[0].image === "nginx:2")]
    .map(({ metadata }) => `${metadata?.labels?.app} ${metadata?.uid}`).sort();
}

async function revisions(kit: Kit): Promise<string[]> {
  const all = await kit.list(CONTROLLERREVISIONS);
  return all.map(({ metadata, revision }) => `${metadata?.name} ${metadata?.uid} revision ${revision}`).sort();
}

async function untilRolled(kit: Kit): Promise<void> {
  for (const name of ["ordered", "parallel"]) await setRolledOut(kit, name);
  await kit.until(
    STATEFULSETS,
    "partitioned",
    "is updated above its partition",
    ({ status }) =>
      status?.updatedReplicas === 1 && status.readyReplicas === 4 && status.currentRevision !== status.updateRevision,
  );
  const isDone = ({ status }: DaemonSet) => status?.updatedNumberScheduled === 3 && status.numberAvailable === 3;
  for (const name of Object.keys(DAEMONS)) await kit.until(DAEMONSETS, name, "is rolled out", isDone);
}

async function takeOver(first: ManagerKind, second: ManagerKind): Promise<void> {
  await using cluster = await Cluster.start();
  const before = await startManager(cluster.plane, first);
  const kit = await cluster.namespace("live");
  await begin(kit);
  await rollHalf(kit);
  await before.process.stop();
  await dropLease(cluster.plane);
  const [keptPods, keptRevisions] = [await kept(kit), await revisions(kit)];

  await startManager(cluster.plane, second);
  await untilRolled(kit);
  const after = new Set(await kept(kit));
  assertEquals(keptPods.filter((pod) => !after.has(pod)), [], "no pod was restarted");
  assertEquals(await revisions(kit), keptRevisions, "no revision came, went or changed");
  const pods = await kit.list(PODS);
  assertEquals(newPods(pods, "partitioned").map(({ metadata }) => metadata?.name), ["partitioned-3"]);
  assertEquals(pods.length, 4 * Object.keys(SETS).length + 3 * Object.keys(DAEMONS).length);
}

clusterTest("kubeloop takes over half rolled sets from upstream's manager", () => takeOver("upstream", "kubeloop"));
clusterTest("upstream's manager takes over half rolled sets from kubeloop", () => takeOver("kubeloop", "upstream"));
