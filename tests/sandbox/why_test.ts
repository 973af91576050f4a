/** Why objects are as they are: the whole manager on the embedded API server. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { DEPLOYMENTS, NAMESPACES, PODS, REPLICASETS } from "../../src/api/mod.ts";
import { objects, startTestCluster } from "../../src/testkit/mod.ts";

/** The lines of a tree without what stands before their words. */
const linesOf = (text: string) => text.split("\n").map((line) => line.replace(/^[ │├└─]+/, ""));

Deno.test("why: a Deployment's edit led to a ReplicaSet, and that to a new pod", async () => {
  await using cluster = await startTestCluster({ nodes: 2 });
  await cluster.namespace("shop");
  const ref = { namespace: "shop", name: "web" };
  await cluster.client.create(DEPLOYMENTS, objects.deployment("web", { metadata: { namespace: "shop" }, replicas: 2 }));
  await cluster.settle();
  const old = new Set((await cluster.client.list(PODS, { namespace: "shop" })).items.map((pod) => pod.metadata?.name));
  const body = { spec: { template: { metadata: { annotations: { edited: "yes" } } } } };
  const edited = await cluster.client.patch(DEPLOYMENTS, ref, { type: "merge", body });
  await cluster.settle();
  const { items } = await cluster.client.list(PODS, { namespace: "shop" });
  // The first of the new ones: the second comes only when an old one has gone.
  const pods = items.filter((pod) => !old.has(pod.metadata?.name))
    .toSorted((a, b) => Number(a.metadata?.resourceVersion) - Number(b.metadata?.resourceVersion));
  const texts = await Promise.all(pods.map((pod) => cluster.why("pods", { ...ref, name: pod.metadata!.name! })));
  const edit = `because deployment/shop/web updated at ${edited.metadata?.resourceVersion}: by somebody else`;
  const text = texts.find((each) => each.includes(edit)) ?? "";
  assert(text !== "", texts.join("\n"));
  const lines = linesOf(text);
  const at = (pattern: RegExp) => {
    const index = lines.findIndex((line) => pattern.test(line));
    assert(index >= 0, `${pattern} is not in\n${text}`);
    return index;
  };
  const order = [
    at(/replicaset-controller synced replicaset\/shop\/web-\w+: done, waited .* ms, took .* ms/),
    at(/^wrote create pod\/shop\/web-\w+-\w+, now at \d+/),
    at(/^because replicaset\/shop\/web-\w+ (added|updated) at \d+$/),
    at(/deployment-controller synced deployment\/shop\/web: done/),
    at(/^wrote (create|update) replicaset\/shop\/web-\w+, now at \d+/),
    lines.findIndex((line) => line.startsWith(edit)),
  ];
  assertEquals(order, order.toSorted((a, b) => a - b), text);
});

Deno.test("why: a sync that fails shows its error and its next try", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  await cluster.namespace("shop");
  const status = { code: 500, reason: "InternalError", message: "the disk is full" };
  using _fault = cluster.fault({ verb: "create", resource: "pods", status });
  await cluster.client.create(REPLICASETS, objects.replicaSet("web", { metadata: { namespace: "shop" }, replicas: 1 }));
  await cluster.advance(60_000);
  const text = await cluster.why("rs", { namespace: "shop", name: "web" });
  assertMatch(text, /replicaset-controller synced replicaset\/shop\/web: failed/);
  assertMatch(text, /wrote create pod\/shop\/.*: failed: the disk is full/);
  assertMatch(text, /error: .*the disk is full/);
  assertMatch(text, /next try [\d.]+ (ms|s) later, at \d\d:\d\d:\d\d\.\d{3}/);
  assertMatch(text, /because retry: .*the disk is full/);
});

Deno.test("why: the garbage collector deleted what nobody owns any more", async () => {
  await using cluster = await startTestCluster({ nodes: 2 });
  await cluster.namespace("shop");
  const ref = { namespace: "shop", name: "web" };
  await cluster.client.create(REPLICASETS, objects.replicaSet("web", { metadata: { namespace: "shop" }, replicas: 1 }));
  await cluster.settle();
  const [pod] = (await cluster.client.list(PODS, { namespace: "shop" })).items;
  await cluster.client.delete(REPLICASETS, ref, { propagationPolicy: "Background" });
  await cluster.eventually("the pod goes", async () => {
    return (await cluster.client.list(PODS, { namespace: "shop" })).items.length === 0;
  });
  const text = await cluster.why("pod", { namespace: "shop", name: pod.metadata!.name! });
  assertMatch(text, /garbage-collector-controller synced pod\/shop\/web-\w+: done/);
  assertMatch(text, /read replicasets\.apps shop\/web|read pods shop\/web-\w+ \(live\)/);
  assertMatch(text, /wrote delete pod\/shop\/web-/);
  assertMatch(text, /because replicaset\/shop\/web deleted: owner: by somebody else/);
});

Deno.test("why: objects in no namespace, and what is unknown", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  await cluster.namespace("shop");
  const text = await cluster.why("ns", { name: "shop" });
  assertMatch(text, /serviceaccount-controller synced namespace\/shop/);
  assertMatch(await cluster.why("ns", { name: "none" }), /^nothing is known of namespace\/none/);
  // The namespace's controller deletes whole collections.
  await cluster.client.create(PODS, objects.pod("p", { metadata: { namespace: "shop" } }));
  await cluster.client.delete(NAMESPACES, { name: "shop" });
  await cluster.settle();
  assertMatch(await cluster.why("pod", { namespace: "shop", name: "p" }), /wrote deletecollection pod\/shop\/\*/);
});

Deno.test("LocalCluster: the API server answers /debug/why as a manager does", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  await cluster.namespace("shop");
  const { apiServer } = cluster;
  const response = await apiServer.fetch(new Request("http://server/debug/why?resource=ns&name=shop"));
  assertEquals((await response.json()).object, { kind: "namespace", key: "shop" });
});
