/** Custom and external metrics, and how all groups are discovered. */
import { assert, assertEquals } from "@std/assert";
import { DEPLOYMENTS, NAMESPACES, NODES, PODS } from "../../../../src/api/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { MetricsApi } from "../../../../src/sandbox/mod.ts";
import { DEPLOYMENTS as DEPLOYMENTS_PATH, Harness, type Loose, workload } from "../apiserver/harness.ts";
import { MetricsRig } from "./rig.ts";

const CUSTOM = "custom.metrics.k8s.io/v1beta2";
const EXTERNAL = "external.metrics.k8s.io/v1beta1/namespaces";
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

Deno.test("CustomMetrics: the last value set for an object, a metric and its labels counts; all objects (*) are those that exist, match the label selector and have the metric", async () => {
  await using rig = await MetricsRig.start();
  await rig.pod("a", { labels: { app: "web" } });
  await rig.pod("b", { labels: { app: "web" } });
  await rig.pod("c", { labels: { app: "other" } });
  rig.metrics.setObjectMetric(PODS, { namespace: "default", labelSelector: "app=web", metric: "qps", value: "10500m" });
  rig.metrics.setObjectMetric(PODS, { namespace: "default", name: "b", metric: "qps", value: 7 });
  rig.metrics.setObjectMetric(PODS, { namespace: "default", name: "gone", metric: "qps", value: 7 });
  rig.metrics.setObjectMetric(PODS, { namespace: "other", metric: "qps", value: 7 });
  const values = async (query = "") => {
    const { body } = await rig.get(`${CUSTOM}/namespaces/default/pods/*/qps${query}`);
    return body.items.map(({ describedObject, value }: Loose) => `${describedObject.name}=${value}`);
  };
  assertEquals(await values(), ["a=10500m", "b=7"]);
  assertEquals(await values("?labelSelector=app%3Dother"), []);
  await rig.pod("d", { labels: { app: "web" } });
  assertEquals(await values("?labelSelector=app%3Dweb"), ["a=10500m", "b=7", "d=10500m"]);
});

Deno.test("CustomMetrics gives values in both versions", async () => {
  await using rig = await MetricsRig.start();
  await rig.api.post(DEPLOYMENTS_PATH, workload("web"));
  const timestamp = new Date("2026-03-01T00:00:00Z");
  const where = { namespace: "default", name: "web", metric: "load", timestamp, windowMs: 30_000 };
  rig.metrics.setObjectMetric(DEPLOYMENTS, { ...where, value: 3, metricLabels: { verb: "GET" } });
  rig.metrics.setObjectMetric(DEPLOYMENTS, { ...where, value: 9, metricLabels: { verb: "PUT" } });
  const path = "namespaces/default/deployments.apps/web/load?metricLabelSelector=verb%3DGET,x%21%3Dy";
  const selector = { matchLabels: { verb: "GET" }, matchExpressions: [{ key: "x", operator: "NotIn", values: ["y"] }] };
  const describedObject = { kind: "Deployment", namespace: "default", name: "web", apiVersion: "apps/v1" };
  const common = { describedObject, timestamp: "2026-03-01T00:00:00Z", value: "3" };
  assertEquals((await rig.get(`${CUSTOM}/${path}`)).body, {
    kind: "MetricValueList",
    apiVersion: CUSTOM,
    metadata: {},
    items: [{ ...common, metric: { name: "load", selector }, windowSeconds: 30 }],
  });
  const old = (await rig.get(`custom.metrics.k8s.io/v1beta1/${path}`)).body;
  assertEquals(old.apiVersion, "custom.metrics.k8s.io/v1beta1");
  assertEquals(old.items, [{ ...common, metricName: "load", window: 30, selector }]);
});

Deno.test("CustomMetrics are of cluster-scoped objects and of namespaces too", async () => {
  await using rig = await MetricsRig.start();
  rig.metrics.setObjectMetric(NODES, { name: "node-0", metric: "temperature", value: 40 });
  rig.metrics.setObjectMetric(NODES, { labelSelector: "kubernetes.io/os=linux", metric: "load", value: 2 });
  rig.metrics.setObjectMetric(NAMESPACES, { name: "default", metric: "requests", value: 100 });
  const item = async (path: string) => {
    const { body } = await rig.get(`${CUSTOM}/${path}`);
    return body.items.map(({ describedObject: { kind, name, namespace }, value }: Loose) => [
      kind,
      name,
      namespace,
      value,
    ]);
  };
  assertEquals(await item("nodes/node-0/temperature"), [["Node", "node-0", undefined, "40"]]);
  assertEquals(await item("nodes/*/load"), [["Node", "node-0", undefined, "2"], ["Node", "node-1", undefined, "2"]]);
  assertEquals(await item("nodes/node-1/load"), [["Node", "node-1", undefined, "2"]]);
  assertEquals(await item("namespaces/default/metrics/requests"), [["Namespace", "default", undefined, "100"]]);
});

Deno.test("CustomMetrics: a metric that no object of the kind has is not found; one that an object does not have is not found for it", async () => {
  await using rig = await MetricsRig.start();
  rig.metrics.setObjectMetric(PODS, { namespace: "default", name: "a", metric: "qps", value: 1 });
  const rows: [string, number, string][] = [
    ["namespaces/default/pods/*/other", 404, "the server could not find the metric other for pods"],
    ["namespaces/default/pods/b/qps", 404, "the server could not find the metric qps for pods b"],
    [
      "namespaces/default/pods/a/qps?metricLabelSelector=x%3Dy",
      404,
      "the server could not find the metric qps for pods a with selector x=y",
    ],
    [
      "namespaces/default/deployments.apps/a/qps",
      404,
      "the server could not find the metric qps for deployments.apps a",
    ],
    ["namespaces/default/qps", 400, "invalid request path"],
    ["namespaces/default/pods/a/qps/x", 404, "the server could not find the requested resource"],
  ];
  for (const [path, code, message] of rows) {
    const { status, body } = await rig.get(`${CUSTOM}/${path}`);
    assertEquals([status, body.message], [code, message], path);
  }
  assertEquals((await rig.get(`${CUSTOM}/namespaces/default/pods/*/qps?metricLabelSelector=a%20b`)).status, 400);
});

Deno.test("ExternalMetrics: the last value set for a metric, its labels and a namespace counts; a metric that was never set has no time series; the selector picks those to show", async () => {
  await using rig = await MetricsRig.start();
  rig.metrics.setExternalMetric({ metric: "queue", labels: { name: "a" }, value: 3 });
  rig.metrics.setExternalMetric({ metric: "queue", labels: { name: "b" }, value: "1500m", windowMs: 60_000 });
  rig.metrics.setExternalMetric({ metric: "queue", labels: { name: "c" }, namespace: "other", value: 9 });
  rig.metrics.setExternalMetric({ metric: "queue", labels: { name: "a" }, value: 4 });
  const values = async (path: string) =>
    (await rig.get(`${EXTERNAL}/${path}`)).body.items.map(({ metricLabels, value }: Loose) =>
      `${metricLabels.name}=${value}`
    );
  assertEquals(await values("default/queue"), ["a=4", "b=1500m"]);
  assertEquals(await values("other/queue"), ["a=4", "b=1500m", "c=9"]);
  assertEquals(await values("default/queue?labelSelector=name%20in%20(b,c)"), ["b=1500m"]);
  const { body } = await rig.get(`${EXTERNAL}/default/queue?labelSelector=name%3Db`);
  const [{ metricName, window, timestamp }] = body.items;
  assertEquals([body.kind, metricName, window], ["ExternalMetricValueList", "queue", 60]);
  assert(timestamp.endsWith("Z"));
  const none = await rig.get(`${EXTERNAL}/default/unknown`);
  assertEquals([none.status, none.body.items], [200, []]);
});

Deno.test("MetricsApi is discovered through the API server, in the old form and in the aggregated one", async () => {
  await using rig = await MetricsRig.start();
  rig.metrics.setObjectMetric(PODS, { namespace: "default", metric: "qps", value: 1 });
  rig.metrics.setObjectMetric(NODES, { metric: "load", value: 1 });
  rig.metrics.setExternalMetric({ metric: "queue", value: 1 });
  const custom = (await rig.get("custom.metrics.k8s.io")).body;
  assertEquals(custom.versions.map(({ version }: Loose) => version), ["v1beta2", "v1beta1"]);
  assertEquals(custom.preferredVersion.version, "v1beta2");
  const { body } = await rig.get(CUSTOM);
  assertEquals([body.kind, body.groupVersion], ["APIResourceList", CUSTOM]);
  assertEquals(body.resources, [
    { name: "pods/qps", singularName: "", namespaced: true, kind: "MetricValueList", verbs: ["get"] },
    { name: "nodes/load", singularName: "", namespaced: false, kind: "MetricValueList", verbs: ["get"] },
  ]);
  const metrics = (await rig.get("metrics.k8s.io/v1beta1")).body.resources;
  assertEquals(metrics.map(({ name, kind }: Loose) => `${name} ${kind}`), ["nodes NodeMetrics", "pods PodMetrics"]);
  const { groups } = (await rig.api.get("/apis")).body;
  const names = ["custom.metrics.k8s.io", "external.metrics.k8s.io", "metrics.k8s.io"];
  assertEquals(groups.slice(-3).map(({ name }: Loose) => name), names);
  const { items } = (await rig.api.get("/apis", { accept: AGGREGATED })).body;
  assertEquals(items.slice(-3).map(({ metadata }: Loose) => metadata.name), names);
  const [{ version, freshness, resources: [pods] }] = items.at(-3).versions;
  assertEquals([version, freshness, pods.resource, pods.verbs], ["v1beta2", "Current", "pods", []]);
  assertEquals(pods.subresources[0].subresource, "qps");
});

Deno.test("MetricsApi lists its groups itself, and knows no others", async () => {
  await using rig = await MetricsRig.start();
  const ask = async (path: string, accept = "application/json") => {
    const response = await rig.metrics.fetch(new Request(`http://metrics${path}`, { headers: { accept } }));
    return { status: response.status, body: await response.json() };
  };
  const { body } = await ask("/apis");
  assertEquals(body.groups.map(({ name }: Loose) => name), [
    "metrics.k8s.io",
    "custom.metrics.k8s.io",
    "external.metrics.k8s.io",
  ]);
  assertEquals((await ask("/apis", AGGREGATED)).body.kind, "APIGroupDiscoveryList");
  assertEquals((await ask("/apis/metrics.k8s.io")).body.kind, "APIGroup");
  for (const path of ["/", "/api/v1", "/apis/apps", "/apis/metrics.k8s.io/v1", "/apis/metrics.k8s.io/v1/pods"]) {
    assertEquals((await ask(path)).status, 404, path);
  }
  assertEquals((await ask("/apis/metrics.k8s.io/v1beta1/%zz")).status, 400);
});

Deno.test("MetricsApi: clear forgets everything that was set", async () => {
  await using rig = await MetricsRig.start();
  const { metrics } = rig;
  await rig.pod("a");
  metrics.setPodUsage({ namespace: "default", usage: { cpu: "1" } });
  metrics.setNodeUsage({ name: "node-0", usage: { cpu: "1" } });
  metrics.setObjectMetric(PODS, { namespace: "default", name: "a", metric: "qps", value: 1 });
  metrics.setExternalMetric({ metric: "queue", value: 1 });
  const paths = [
    "metrics.k8s.io/v1beta1/namespaces/default/pods",
    "metrics.k8s.io/v1beta1/nodes",
    `${CUSTOM}/namespaces/default/pods/*/qps`,
    `${EXTERNAL}/default/queue`,
  ];
  const known = () =>
    Promise.all(paths.map(async (path) => JSON.stringify((await rig.get(path)).body.items ?? []).includes('"1"')));
  assertEquals(await known(), [true, true, true, true]);
  metrics.clear();
  assertEquals(await known(), [false, false, false, false]);
});

Deno.test("MetricsApi: when run resolves, no timer and no request of it is left", async () => {
  using api = new Harness();
  const { world, server } = api;
  const client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "metrics/1" });
  const metrics = new MetricsApi({ world, client });
  const stop = new AbortController();
  const running = metrics.run(stop.signal);
  await api.post("/api/v1/nodes", { metadata: { name: "n" } });
  await world.clock.advance(1000);
  metrics.setNodeUsage({ name: "n", usage: { cpu: "1" } });
  const read = await metrics.fetch(new Request("http://metrics/apis/metrics.k8s.io/v1beta1/nodes/n"));
  assertEquals((await read.json()).usage, { cpu: "1" });
  assertEquals(server.openWatches, 2);
  stop.abort();
  await world.clock.advance(0);
  await running;
  assertEquals(server.openWatches, 0);
});
