/**
 * A tenant who may create and change everything in one namespace, against all controllers at once: in another namespace everything
 * goes on, and nothing is deleted that is not the tenant's.
 *
 * | attack                                                             | what bounds it                                               |
 * | ------------------------------------------------------------------ | ------------------------------------------------------------ |
 * | a CronJob that last ran in the year 1, or never can again          | the latest time is searched for, not walked to               |
 * | revisions and percentages of a quarter of a megabyte of digits     | `parseInt64` looks at 19 of them; sorting reads each once    |
 * | names that objects inherit: `constructor`, `__proto__`, `toString` | maps and `Object.hasOwn`; parsing makes `__proto__` a field   |
 * | owners that no one can find: unknown kinds, paths for names        | what cannot exist is absent; kinds that are not served wait  |
 * | one object patched without end                                     | a queue holds a key once; other keys are between             |
 * | a hundred sets and budgets that select each other's pods           | an object has one controller; adoption asks the server       |
 */
import { assert, assertEquals } from "@std/assert";
import {
  CONFIGMAPS,
  CRONJOBS,
  DEPLOYMENTS,
  JOBS,
  type KubeObject,
  NAMESPACES,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICASETS,
  type Resource,
  RESOURCEQUOTAS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { parseJson } from "../../src/base/mod.ts";
import { objects, type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";

const TENANT = "constructor";
const VICTIM = "shop";
/** In virtual time; alone it takes less than five seconds. */
const SOON_MS = 10_000;

/** Lets the tenant attack a cluster of all controllers, and asks for a Deployment somewhere else. */
function attack(what: string, run: (cluster: TestCluster) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody else waiting`, () =>
    withTestCluster({}, async (cluster) => {
      await cluster.namespace(TENANT);
      await cluster.namespace(VICTIM);
      await run(cluster);
      const metadata = { namespace: VICTIM };
      await cluster.client.create(DEPLOYMENTS, objects.deployment("web", { replicas: 3, metadata }));
      await cluster.eventually("the other's Deployment is there", async () => {
        const { status } = await cluster.client.get(DEPLOYMENTS, { ...metadata, name: "web" });
        return status?.availableReplicas === 3;
      }, { withinMs: SOON_MS });
    }));
}

const create = <T extends KubeObject>(cluster: TestCluster, resource: Resource<T>, object: T) =>
  cluster.client.create(resource, object, { namespace: TENANT });

const labelled = (labels: Record<string, string>, restartPolicy?: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: "constructor", image: "i" }], restartPolicy },
});

attack("CronJobs that last ran in the year 1", async (cluster) => {
  const schedules = ["* * * * *", "0 0 1 1 *", "0 0 29 2 *", "@every 1s"];
  for (const [i, schedule] of schedules.entries()) {
    for (const [j, year] of ["0001", "1896", "9999"].entries()) {
      const name = `c${i}-${j}`;
      const jobTemplate = { spec: { template: labelled({ app: name }, "Never") } };
      await create(cluster, CRONJOBS, {
        metadata: { name },
        spec: { schedule, timeZone: "Africa/Monrovia", jobTemplate, concurrencyPolicy: "Forbid" },
      });
      const body = { status: { lastScheduleTime: `${year}-02-28T00:00:00Z` } };
      const ref = { namespace: TENANT, name };
      await cluster.client.patch(CRONJOBS, ref, { type: "merge", subresource: "status", body });
    }
  }
  await cluster.advance(5_000);
  const before = cluster.managerWrites;
  await cluster.advance(1_000);
  assert(cluster.managerWrites - before < 200, `${cluster.managerWrites - before} writes in a second`);
});

attack("names that objects inherit", async (cluster) => {
  const labels = { constructor: "constructor", toString: "valueOf", hasOwnProperty: "x" };
  const data = parseJson('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
  await create(cluster, CONFIGMAPS, { metadata: { name: "constructor", labels, annotations: labels }, data });
  const hard = { "count/configmaps": "9", "requests.example.com/toString": "2", pods: "9" };
  await create(cluster, RESOURCEQUOTAS, { metadata: { name: "constructor" }, spec: { hard } });
  const selector = { matchLabels: labels };
  const template = labelled(labels);
  const metadata = { name: "constructor", labels, annotations: labels };
  await create(cluster, DEPLOYMENTS, { metadata, spec: { replicas: 2, selector, template } });
  const set = { app: "constructor" };
  await create(cluster, STATEFULSETS, {
    metadata,
    spec: {
      serviceName: "constructor",
      replicas: 1,
      selector: { matchLabels: set },
      template: labelled(set),
    },
  });
  await create(cluster, JOBS, { metadata, spec: { template: labelled({}, "Never") } });
  await create(cluster, PODDISRUPTIONBUDGETS, { metadata, spec: { minAvailable: "100%", selector } });
  await cluster.eventually("the tenant's own objects are as any others", async () => {
    const ref = { namespace: TENANT, name: "constructor" };
    const [deployment, statefulSet, budget, quota] = await Promise.all([
      cluster.client.get(DEPLOYMENTS, ref),
      cluster.client.get(STATEFULSETS, ref),
      cluster.client.get(PODDISRUPTIONBUDGETS, ref),
      cluster.client.get(RESOURCEQUOTAS, ref),
    ]);
    assertEquals([deployment.status?.availableReplicas, statefulSet.status?.availableReplicas], [2, 1]);
    assertEquals([budget.status?.currentHealthy, budget.status?.disruptionsAllowed], [2, 0]);
    assertEquals(quota.status?.used, { "count/configmaps": "2", "requests.example.com/toString": "0", pods: "4" });
    return true;
  });
  await cluster.client.delete(NAMESPACES, { name: TENANT });
  await cluster.eventually("the namespace is gone", async () => {
    const { items } = await cluster.client.list(NAMESPACES);
    return !items.some(({ metadata }) => metadata?.name === TENANT);
  });
});

attack("owners that no one can find", async (cluster) => {
  const { metadata } = await cluster.client.create(CONFIGMAPS, objects.configMap("o"), { namespace: VICTIM });
  const uid = (i: number) => `3f1c6f0e-0000-4000-8000-${String(i).padStart(12, "0")}`;
  const owners: [kept: boolean, apiVersion: string, kind: string, name: string, uid?: string][] = [
    [false, "v1", "ConfigMap", "missing"],
    [false, "v1", "ConfigMap", "../../../namespaces/shop"],
    [false, "v1", "ConfigMapList", "missing"],
    [false, "v1", "ConfigMap", "o", metadata!.uid],
    [true, "v1", "constructor", "missing"],
    [true, "example.com/v1", "Missing", "missing"],
    [true, "apps/v99", "Deployment", "missing"],
    [true, "constructor/toString", "__proto__", "missing"],
    [true, "v1", "Pod\n\x1b[31m", "missing"],
  ];
  for (const [i, [, apiVersion, kind, name, known = uid(i)]] of owners.entries()) {
    const ownerReferences = [{ apiVersion, kind, name, uid: known, blockOwnerDeletion: true, controller: true }];
    await create(cluster, CONFIGMAPS, { metadata: { name: `c${i}`, ownerReferences } });
  }
  await cluster.advance(10_000);
  const { items } = await cluster.client.list(CONFIGMAPS, { namespace: TENANT });
  const left = new Set(items.map((item) => item.metadata?.name));
  assertEquals(owners.map((_, i) => left.has(`c${i}`)), owners.map(([kept]) => kept));
  await cluster.client.get(CONFIGMAPS, { namespace: VICTIM, name: "o" });
});

attack("an object that changes without end", async (cluster) => {
  await create(cluster, DEPLOYMENTS, objects.deployment("flaps", { metadata: { namespace: TENANT } }));
  for (let i = 0; i < 300; i++) {
    const body = { spec: { replicas: i % 5, paused: i % 3 === 0 } };
    await cluster.client.patch(DEPLOYMENTS, { namespace: TENANT, name: "flaps" }, { type: "merge", body });
    if (i % 10 === 0) await cluster.advance(10);
  }
  assert(cluster.managerWrites < 300, `${cluster.managerWrites} writes`);
});

attack("a hundred sets at once that select each other's pods", async (cluster) => {
  const labels = { app: "x" };
  const selector = { matchLabels: labels };
  const template = labelled(labels);
  for (let i = 0; i < 40; i++) await create(cluster, PODS, { ...template, metadata: { name: `p${i}`, labels } });
  for (let i = 0; i < 25; i++) {
    await create(cluster, DEPLOYMENTS, { metadata: { name: `d${i}` }, spec: { replicas: 1, selector, template } });
    await create(cluster, REPLICASETS, { metadata: { name: `r${i}` }, spec: { replicas: 2, selector, template } });
    await create(cluster, PODDISRUPTIONBUDGETS, {
      metadata: { name: `b${i}` },
      spec: { minAvailable: "100%", selector },
    });
  }
  await cluster.settle();
  const { items } = await cluster.client.list(PODS, { namespace: TENANT });
  for (const { metadata } of items) {
    assertEquals(metadata?.ownerReferences?.filter(({ controller }) => controller).length, 1, metadata?.name);
  }
});
