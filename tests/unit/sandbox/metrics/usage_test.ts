/** What pods and nodes use. */
import { assertEquals, assertThrows } from "@std/assert";
import { QuantityError, SelectorError } from "../../../../src/api/mod.ts";
import { MetricsRig } from "./rig.ts";

const PODS = "metrics.k8s.io/v1beta1/namespaces/default/pods";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

Deno.test("Measurements: otherwise a container has a measurement every 15 seconds, the first one 15 seconds after its start", async () => {
  await using rig = await MetricsRig.start();
  await rig.pod("a");
  await rig.advance(500 + 14_000);
  assertEquals(await rig.usage(), []);
  const { status, body } = await rig.get(`${PODS}/a`);
  assertEquals([status, body.message], [404, 'podmetrics.metrics.k8s.io "default/a" not found']);
  await rig.advance(1500);
  assertEquals(await rig.usage(), ["a/main cpu=1m memory=16Mi"]);
  const startedAt = (await rig.api.get("/api/v1/namespaces/default/pods/a")).body.status.containerStatuses[0].state
    .running.startedAt;
  const seconds = async () => (Date.parse((await rig.get(`${PODS}/a`)).body.timestamp) - Date.parse(startedAt)) / 1000;
  assertEquals(await seconds(), 15);
  await rig.advance(10_000);
  assertEquals(await seconds(), 15);
  await rig.advance(5000);
  assertEquals(await seconds(), 30);
  assertEquals((await rig.get(`${PODS}/a`)).body.window, "15s");
});

Deno.test("Measurements follow the annotations of pods, by container and by run", async () => {
  await using rig = await MetricsRig.start();
  await rig.pod("a", {
    containers: ["main", "log"],
    annotations: { "kubeloop.dev/cpu-usage": "250m,log=5m", "kubeloop.dev/memory-usage": "1Gi" },
  });
  await rig.pod("b", { annotations: { "kubeloop.dev/memory-usage": "none" } });
  await rig.pod("c", { annotations: { "kubeloop.dev/cpu-usage": "none", "kubeloop.dev/memory-usage": "none" } });
  await rig.pod("d", {
    annotations: {
      "kubeloop.dev/cpu-usage": "1,2",
      "kubeloop.dev/exit-code": "1,0",
      "kubeloop.dev/run-for": "20s,forever",
    },
  });
  await rig.advance(16_000);
  const others = ["a/main cpu=250m memory=1Gi", "a/log cpu=5m memory=1Gi", "b/main cpu=1m"];
  assertEquals(await rig.usage(), [...others, "d/main cpu=1 memory=16Mi"]);
  await rig.advance(6_000);
  assertEquals(await rig.usage(), others, "it has just been restarted");
  await rig.advance(30_000);
  assertEquals(await rig.usage(), [...others, "d/main cpu=2 memory=16Mi"]);
});

Deno.test("Measurements: a pod is measured if each of its running containers is", async () => {
  await using rig = await MetricsRig.start();
  await rig.pod("a", { containers: ["main", "late"], annotations: { "kubeloop.dev/image-pull": "late=10s" } });
  await rig.advance(16_000);
  assertEquals(await rig.usage(), []);
  await rig.advance(10_000);
  assertEquals(await rig.usage(), ["a/main cpu=1m memory=16Mi", "a/late cpu=1m memory=16Mi"]);
});

Deno.test("Measurements: a node uses what its pods use; there are no measurements of a node that is not ready, nor of its pods", async () => {
  await using rig = await MetricsRig.start();
  await rig.pod("a", { annotations: { "kubeloop.dev/cpu-usage": "250m" } });
  await rig.pod("b", { annotations: { "kubeloop.dev/cpu-usage": "1" } });
  await rig.pod("c", { nodeName: "node-1" });
  await rig.advance(16_000);
  assertEquals(await rig.nodeUsage(), ["node-0 cpu=1250m memory=32Mi", "node-1 cpu=1m memory=16Mi"]);
  rig.simulator.stopNode("node-1");
  const conditions = [{ type: "Ready", status: "Unknown" }];
  await rig.api.patch("/api/v1/nodes/node-1/status", { status: { conditions } });
  await rig.advance(0);
  assertEquals(await rig.nodeUsage(), ["node-0 cpu=1250m memory=32Mi"]);
  assertEquals((await rig.usage()).length, 2);
  const gone = await rig.get("metrics.k8s.io/v1beta1/nodes/node-1");
  assertEquals([gone.status, gone.body.message], [404, 'nodemetrics.metrics.k8s.io "node-1" not found']);
});

Deno.test("Measurements: a value set by a test counts from then on, also for pods that do not run yet; UsageSettings: the last value set for a container counts; a new value for the same pods and container replaces the old one", async () => {
  await using rig = await MetricsRig.start();
  const { metrics } = rig;
  metrics.setPodUsage({ namespace: "default", labelSelector: "app=web", usage: { cpu: "900m" } });
  await rig.pod("a", { labels: { app: "web" }, containers: ["main", "log"] });
  await rig.pod("b", { labels: { app: "other" } });
  assertEquals(await rig.usage(), ["a/main cpu=900m", "a/log cpu=900m"]);
  metrics.setPodUsage({ namespace: "default", name: "a", container: "log", usage: { cpu: "1500u", memory: "0.5Gi" } });
  assertEquals(await rig.usage(), ["a/main cpu=900m", "a/log cpu=1500u memory=512Mi"]);
  metrics.setPodUsage({ namespace: "default", labelSelector: "app=web", usage: { cpu: 2 } });
  assertEquals(await rig.usage(), ["a/main cpu=2", "a/log cpu=2"], "what was said last counts");
  metrics.setPodUsage({ namespace: "default", name: "a", usage: "none" });
  await rig.advance(16_000);
  assertEquals(await rig.usage(), ["b/main cpu=1m memory=16Mi"]);
  metrics.clear();
  assertEquals((await rig.usage()).length, 3);
});

Deno.test("MetricsApi: values that are set count from then on: what a node uses, and when that was measured", async () => {
  await using rig = await MetricsRig.start();
  const timestamp = new Date("2020-02-29T12:00:00Z");
  assertEquals((await rig.get("metrics.k8s.io/v1beta1/nodes/node-0")).body.usage, {});
  rig.metrics.setNodeUsage({ name: "node-0", usage: { cpu: "3", memory: "1Gi" }, timestamp, windowMs: 90_000 });
  rig.metrics.setNodeUsage({ name: "node-1", usage: "none" });
  const { body } = await rig.get("metrics.k8s.io/v1beta1/nodes");
  assertEquals(body.items.length, 1);
  const [{ usage, timestamp: at, window }] = body.items;
  assertEquals([usage, at, window], [{ cpu: "3", memory: "1Gi" }, "2020-02-29T12:00:00Z", "1m30s"]);
});

Deno.test("MetricsApi refuses malformed amounts and selectors", async () => {
  await using rig = await MetricsRig.start();
  const { metrics } = rig;
  assertThrows(() => metrics.setPodUsage({ namespace: "a", usage: { cpu: "much" } }), QuantityError);
  assertThrows(() => metrics.setPodUsage({ namespace: "a", labelSelector: "a b", usage: "none" }), SelectorError);
  assertThrows(() => metrics.setNodeUsage({ name: "a", usage: { cpu: "1x" } }), QuantityError);
  assertThrows(() => metrics.setExternalMetric({ metric: "a", value: "" }), QuantityError);
});

Deno.test("ResourceMetrics selects by labels and names, in the order of names", async () => {
  await using rig = await MetricsRig.start();
  rig.metrics.setPodUsage({ namespace: "default", usage: { cpu: "1" } });
  for (const name of ["b", "c", "a"]) await rig.pod(name, { labels: { app: name === "c" ? "x" : "y" } });
  assertEquals(await rig.usage(), ["a/main cpu=1", "b/main cpu=1", "c/main cpu=1"]);
  assertEquals(await rig.usage("?labelSelector=app%3Dy"), ["a/main cpu=1", "b/main cpu=1"]);
  assertEquals(await rig.usage("?labelSelector=app%3Dnone"), []);
  assertEquals(await rig.usage("?fieldSelector=metadata.name%3Db"), ["b/main cpu=1"]);
  const bad = await rig.get(`${PODS}?labelSelector=a%20b`);
  assertEquals([bad.status, bad.body.reason], [400, "BadRequest"]);
  const field = await rig.get(`${PODS}?fieldSelector=spec.nodeName%3Da`);
  assertEquals(
    [field.status, field.body.message],
    [400, '"spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  );
});

Deno.test("ResourceMetrics gives objects as metrics-server does, and tables to kubectl", async () => {
  await using rig = await MetricsRig.start();
  rig.metrics.setPodUsage({ namespace: "default", usage: { memory: "1Gi", cpu: "250m" } });
  assertEquals((await rig.get(PODS, { accept: TABLE })).body.rows, null);
  await rig.pod("a", { labels: { app: "x" }, containers: ["one", "two"] });
  const { body } = await rig.get(`${PODS}/a`);
  const now = body.timestamp;
  assertEquals(body, {
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: { name: "a", namespace: "default", labels: { app: "x" }, creationTimestamp: now },
    timestamp: now,
    window: "15s",
    containers: ["one", "two"].map((name) => ({ name, usage: { memory: "1Gi", cpu: "250m" } })),
  });
  const list = (await rig.get("metrics.k8s.io/v1beta1/pods")).body;
  assertEquals([list.kind, list.items[0].kind], ["PodMetricsList", undefined]);
  const table = (await rig.get(PODS, { accept: TABLE })).body;
  const columns = table.columnDefinitions.map(({ name, format }: Record<string, string>) => `${name}:${format}`);
  assertEquals(columns, ["Name:name", "cpu:quantity", "memory:quantity", "Window:duration"]);
  assertEquals(table.rows[0].cells, ["a", "500m", "2Gi", "15s"]);
  assertEquals(table.rows[0].object.kind, "PartialObjectMetadata");
});

Deno.test("MetricsApi: fetch responds like metrics-server and common adapters, with errors as Status bodies: what is not there and what cannot be done", async () => {
  await using rig = await MetricsRig.start();
  const rows: [string, number, string][] = [
    [`${PODS}/none`, 404, 'pods "none" not found'],
    ["metrics.k8s.io/v1beta1/nodes/none", 404, 'node "none" not found'],
    ["metrics.k8s.io/v1beta1/services", 404, "the server could not find the requested resource"],
    ["metrics.k8s.io/v1beta1/pods/a", 404, "the server could not find the requested resource"],
    [`${PODS}/a/log`, 404, "the server could not find the requested resource"],
    [`${PODS}?watch=true`, 405, "the server does not allow this method on the requested resource"],
  ];
  for (const [path, code, message] of rows) {
    const { status, body } = await rig.get(path);
    assertEquals([status, body.message], [code, message], path);
  }
  const { status, body } = await rig.api.delete(`/apis/${PODS}`);
  assertEquals([status, body.reason], [405, "MethodNotAllowed"]);
});
