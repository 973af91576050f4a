/** Going from one manager to the other on a live cluster, and back, must be invisible. */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, type KubeObject, PODS, REPLICASETS, type Resource } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { deployment, type Kit } from "../scenarios/kit.ts";

const DEPLOYMENTS_MADE = 20;

/** Uid and generation of every object: what changes when something is made, deleted, or has its spec written. */
async function identities(kit: Kit): Promise<string[]> {
  const all: string[] = [];
  for (const resource of [DEPLOYMENTS, REPLICASETS, PODS] as Resource<KubeObject>[]) {
    for (const { metadata } of await kit.list(resource)) {
      all.push(`${resource.plural}/${metadata!.name} ${metadata!.uid} generation ${metadata!.generation}`);
    }
  }
  return all.sort();
}

async function takeOver(first: ManagerKind, second: ManagerKind): Promise<void> {
  await using cluster = await Cluster.start();
  const before = await startManager(cluster.plane, first);
  const kit = await cluster.namespace("live");
  const names = Array.from({ length: DEPLOYMENTS_MADE }, (_, i) => `d${i}`);
  await Promise.all(names.map(async (name, i) => {
    await kit.create(DEPLOYMENTS, deployment(name, { replicas: 1 + i % 4, image: `nginx:${i % 3}` }));
    await kit.until(DEPLOYMENTS, name, "is complete", (d) => d.status?.availableReplicas === d.spec?.replicas);
  }));
  // Half of them with a history, so that old ReplicaSets are there to be misread.
  await Promise.all(
    names.filter((_, i) => i % 2 === 0).map(async (name) => {
      await kit.merge(DEPLOYMENTS, name, {
        spec: { template: { spec: { containers: [{ name: "c", image: "nginx:9" }] } } },
      });
      await kit.rolledOut(name);
    }),
  );
  await kit.settled();
  const was = await identities(kit);
  await before.process.stop();
  await dropLease(cluster.plane);

  await startManager(cluster.plane, second);
  // The new manager has looked at everything once it has carried out a change made after its start.
  const probe = await cluster.namespace("probe");
  await probe.create(DEPLOYMENTS, deployment("probe", { replicas: 1 }));
  await probe.rolledOut("probe");
  assertEquals(await identities(kit), was);

  // And it goes on from there: the next change makes exactly one more ReplicaSet.
  const setsBefore = (await kit.list(REPLICASETS)).length;
  await kit.merge(DEPLOYMENTS, "d1", {
    spec: { template: { spec: { containers: [{ name: "c", image: "nginx:10" }] } } },
  });
  await kit.rolledOut("d1");
  assertEquals((await kit.list(REPLICASETS)).length, setsBefore + 1);
}

clusterTest(
  "kubeloop takes over from upstream's manager without touching anything",
  () => takeOver("upstream", "kubeloop"),
);
clusterTest(
  "upstream's manager takes over from kubeloop without touching anything",
  () => takeOver("kubeloop", "upstream"),
);
