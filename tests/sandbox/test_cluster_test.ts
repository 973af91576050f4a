/** The test kit, used as its users do. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { CONFIGMAPS, DEPLOYMENTS, NODES, PODS, REPLICASETS } from "kubeloop/api";
import { isConflict, ManifestError } from "kubeloop/client";
import { objects, startTestCluster, type TestCluster, withTestCluster } from "kubeloop/testing";

const WEB = { namespace: "default", name: "web" };

function createWeb(cluster: TestCluster, parts: Parameters<typeof objects.deployment>[1] = {}) {
  return cluster.client.create(
    DEPLOYMENTS,
    objects.deployment("web", { ...parts, metadata: { namespace: "default" } }),
  );
}

async function readyPods(cluster: TestCluster): Promise<number> {
  return (await cluster.client.get(DEPLOYMENTS, WEB)).status?.readyReplicas ?? 0;
}

Deno.test("TestCluster rolls out a Deployment in virtual time", async () => {
  await using cluster = await startTestCluster();
  await createWeb(cluster, { replicas: 3 });
  await cluster.eventually("three pods are ready", async () => await readyPods(cluster) === 3);
  const { items } = await cluster.client.list(PODS, { namespace: "default" });
  assertEquals(new Set(items.map(({ spec }) => spec?.nodeName)).size, 3, "on three nodes");
});

Deno.test("TestCluster: time passes only in advance, eventually, settle and at the end; ten minutes take milliseconds", async () => {
  await using cluster = await startTestCluster({ nodes: 0, startsAt: new Date("2028-02-29T23:55:00Z") });
  await createWeb(cluster);
  await cluster.advance(10 * 60_000 - 1000);
  const reasons = async () =>
    (await cluster.client.get(DEPLOYMENTS, WEB)).status?.conditions?.map(({ reason }) => reason) ?? [];
  assert(!(await reasons()).includes("ProgressDeadlineExceeded"));
  await cluster.advance(2000);
  assert((await reasons()).includes("ProgressDeadlineExceeded"));
  const { metadata } = await cluster.client.get(DEPLOYMENTS, WEB);
  assertEquals(metadata?.creationTimestamp, "2028-02-29T23:55:00Z");
});

Deno.test("TestCluster: no socket is opened, no file read, no real time waited for; LocalCluster: controllers, nodes and clients reach the API server without a socket", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", fromFileUrl(new URL("./without_permissions.ts", import.meta.url))],
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert(success, text(stderr));
  assertEquals(text(stdout), "rolled out");
});

Deno.test("TestCluster has the feature gates of its flags on its API server too", async () => {
  const workloads = "http://server/apis/scheduling.k8s.io/v1alpha2/namespaces/default/workloads";
  for (const isOn of [false, true]) {
    await using cluster = await startTestCluster({ flags: [`--feature-gates=GenericWorkload=${isOn}`] });
    const { status, body } = await cluster.apiServer.fetch(new Request(workloads));
    await body?.cancel();
    assertEquals(status, isOn ? 200 : 404);
  }
});

Deno.test("TestCluster: the same seed and the same calls give the same run", async () => {
  const run = async (seed: number) => {
    await using cluster = await startTestCluster({ seed });
    await createWeb(cluster, { replicas: 4 });
    await cluster.settle();
    return cluster.history.dump({ last: 5000 });
  };
  const first = await run(7);
  assertEquals(await run(7), first);
  assert(await run(8) !== first);
});

Deno.test("TestCluster runs the controllers that its flags choose", async () => {
  await using cluster = await startTestCluster({ flags: ["--controllers=deployment"] });
  await createWeb(cluster, { replicas: 2 });
  await cluster.settle();
  const { items: sets } = await cluster.client.list(REPLICASETS, { namespace: "default" });
  const { items: pods } = await cluster.client.list(PODS, { namespace: "default" });
  assertEquals([sets.length, pods.length], [1, 0]);
});

Deno.test("TestCluster: an eventually that gives up says what was wrong last and what happened recently", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  await createWeb(cluster);
  const never = () =>
    cluster.eventually("a pod is ready", async () => {
      const ready = await readyPods(cluster);
      if (ready === 0) throw new Error(`${ready} ready`);
      return ready;
    }, { withinMs: 2000 });
  const { message } = await assertRejects(never, Error, "Not within 2000 ms of virtual time: a pod is ready: 0 ready");
  assertStringIncludes(message, "added    deployments.apps default/web");
  assertStringIncludes(message, "sync     deployment-controller default/web");
});

Deno.test("TestCluster.eventually looks again when something has happened, and every two seconds in any case", async () => {
  await using cluster = await startTestCluster({ nodes: 0, flags: ["--controllers=replicaset"] });
  const { clock } = cluster.world;
  await cluster.settle();
  const startMs = clock.monotonicMs();
  clock.setTimer(2_600, () => {});
  clock.setTimer(5_100, () => cluster.apiServer.storeUnchecked(CONFIGMAPS, objects.configMap("a", {})));
  const lookedMs: number[] = [];
  await cluster.eventually("ten seconds have passed", () => {
    lookedMs.push(clock.monotonicMs() - startMs);
    return clock.monotonicMs() - startMs >= 9_000;
  });
  assertEquals(lookedMs, [0, 2_000, 2_750, 4_750, 5_250, 7_250, 9_250]);
});

Deno.test("withTestCluster adds what happened to the error of a failed test", async () => {
  const failing = () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      await createWeb(cluster);
      await cluster.settle();
      assertEquals(await readyPods(cluster), 1);
    });
  const { message } = await assertRejects(failing, Error, "Values are not equal");
  assertStringIncludes(message, "event    Normal ScalingReplicaSet Deployment default/web: Scaled up replica set web-");
  assertStringIncludes(
    message,
    "request  deployment-controller POST /apis/apps/v1/namespaces/default/replicasets -> 201",
  );
});

Deno.test("History tells only what is about something, and which fields changed", async () => {
  await using cluster = await startTestCluster();
  await cluster.client.create(CONFIGMAPS, objects.configMap("a", { k: "1" }, { metadata: { namespace: "default" } }));
  await cluster.client.patch(CONFIGMAPS, { namespace: "default", name: "a" }, {
    type: "merge",
    body: { data: { k: "2" } },
  });
  cluster.history.note("default/a is what this is about");
  const lines = cluster.history.dump({ about: "default/a " }).split("\n").map((line) =>
    line.trim().replace(/rv=\d+/, "rv")
  );
  assertEquals(lines, [
    "0.001s added    configmaps default/a rv",
    '0.001s modified configmaps default/a rv: data.k="1" -> "2"',
    "0.001s note     default/a is what this is about",
  ]);
});

Deno.test("TestCluster.fault: a conflict, a busy server and a lost answer do not keep a Deployment from rolling out", async () => {
  await using cluster = await startTestCluster();
  const faults = [
    cluster.fault({ resource: "deployments.apps/status", times: 2, status: { code: 409 } }),
    cluster.fault({ verb: "create", resource: "replicasets.apps", times: 1, drop: "after" }),
    cluster.fault({ verb: "create", resource: "pods", times: 2, status: { code: 429, retryAfterSeconds: 1 } }),
    cluster.fault({ verb: "watch", resource: "pods", status: { code: 410 }, times: 1 }),
    cluster.fault({ verb: "create", resource: "pods", after: 2, times: 1, status: { code: 500 } }),
  ];
  await createWeb(cluster, { replicas: 3 });
  await cluster.eventually("three pods are ready", async () => await readyPods(cluster) === 3);
  await cluster.settle();
  const { items } = await cluster.client.list(PODS, { namespace: "default" });
  assertEquals(items.length, 3);
  assertEquals(faults.filter(({ hits }) => hits > 0).length, 4, "the watch was open before its fault");
  assertStringIncludes(cluster.history.dump({ about: "deployments/web/status" }), "-> 409");
});

Deno.test("TestCluster.fault: informers that lag and hear everything twice do not make a ReplicaSet overshoot", async () => {
  await using cluster = await startTestCluster();
  cluster.fault({ userAgent: "shared-informers", lagMs: 1500, duplicate: true });
  cluster.apiServer.closeWatches({}, "break");
  await cluster.advance(5000);
  await createWeb(cluster, { replicas: 5 });
  let most = 0;
  await cluster.eventually("five pods are ready", async () => {
    const { items } = await cluster.client.list(PODS, { namespace: "default" });
    most = Math.max(most, items.length);
    return await readyPods(cluster) === 5;
  });
  assertEquals(most, 5);
});

Deno.test("TestCluster.fault: a test's own request can fail like a controller's", async () => {
  await using cluster = await startTestCluster();
  using _fault = cluster.fault({ userAgent: "test", verb: "create", status: { code: 409, reason: "Conflict" } });
  assert(isConflict(await assertRejects(() => createWeb(cluster))));
});

Deno.test("TestCluster.apply takes YAML of several documents, creates and changes", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  const manifest = (value: string) => `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: List
items:
- { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: shop }, data: { v: "${value}" } }
- { apiVersion: v1, kind: ConfigMap, metadata: { name: b }, data: { date: 2026-01-01 } }
`;
  await cluster.apply(manifest("1"));
  await cluster.apply(manifest("2"), { namespace: "shop" });
  const data = async (namespace: string, name: string) =>
    (await cluster.client.get(CONFIGMAPS, { namespace, name })).data;
  assertEquals([await data("shop", "a"), await data("shop", "b"), await data("default", "b")], [
    { v: "2" },
    { date: "2026-01-01" },
    { date: "2026-01-01" },
  ]);
});

Deno.test("TestCluster.apply says which object it cannot apply, and why", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  const refused = async (manifest: string) =>
    (await assertRejects(() => cluster.apply(manifest), ManifestError)).message;
  assertStringIncludes(await refused("a: [1"), "Cannot read the manifest: ");
  assertEquals(await refused("- 1"), "Cannot read the manifest: document 1 (line 1) is not an object");
  assertEquals(
    await refused("kind: Pod\nmetadata: {}"),
    "Cannot read the manifest: document 1 (line 1) has no apiVersion and no metadata.name",
  );
  assertEquals(
    await refused("apiVersion: example.com/v1\nkind: Box\nmetadata: { name: a }"),
    'Cannot apply Box a: no matches for kind "Box" in version "example.com/v1"',
  );
  assertStringIncludes(
    await refused("apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [] }"),
    'Cannot apply Pod a: Pod "a" is invalid: spec.containers: Required value',
  );
});

Deno.test("TestCluster refuses flags that kube-controller-manager refuses", async () => {
  await assertRejects(() => startTestCluster({ flags: ["--controllers=nonsense"] }), Error, "nonsense");
  await assertRejects(() => startTestCluster({ flags: ["--nonsense"] }), Error, "unknown flag: --nonsense");
});

Deno.test("TestCluster: a controller that ends by an error fails the test", async () => {
  const broken = { name: "broken-controller", build: () => ({ run: () => Promise.reject(new Error("no luck")) }) };
  const use = async () => {
    await using cluster = await startTestCluster({ controllers: [broken] });
    await cluster.advance(1000);
  };
  await assertRejects(use, Error, "no luck");
});

Deno.test("TestCluster: after disposal nothing of the cluster runs any more", async () => {
  const cluster = await startTestCluster();
  await createWeb(cluster, { replicas: 3 });
  await cluster.eventually("it runs", async () => (await cluster.client.list(NODES)).items.length === 3);
  await cluster[Symbol.asyncDispose]();
  assertEquals([cluster.world.clock.pendingTimers, cluster.apiServer.openWatches], [0, 0]);
});
