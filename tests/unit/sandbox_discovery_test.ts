import { assert, assertEquals } from "@std/assert";
import { BUILT_IN_RESOURCES } from "../../src/api/mod.ts";
import { CONFIG_MAPS, Harness, type Loose, pod, PODS } from "./sandbox_harness.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

Deno.test("Discovery lists groups, versions and resources the old way", async () => {
  using api = new Harness();
  assertEquals((await api.get("/api")).body.versions, ["v1"]);
  const { groups } = (await api.get("/apis")).body;
  const autoscaling = groups.find(({ name }: Loose) => name === "autoscaling");
  assertEquals(autoscaling.versions.map(({ version }: Loose) => version), ["v2", "v1"]);
  assertEquals(autoscaling.preferredVersion, { groupVersion: "autoscaling/v2", version: "v2" });
  const { resources } = (await api.get("/api/v1")).body;
  assertEquals(resources.find(({ name }: Loose) => name === "pods"), {
    name: "pods",
    singularName: "pod",
    namespaced: true,
    kind: "Pod",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    shortNames: ["po"],
    categories: ["all"],
  });
  assertEquals(resources.find(({ name }: Loose) => name === "pods/eviction"), {
    name: "pods/eviction",
    singularName: "",
    namespaced: true,
    group: "policy",
    version: "v1",
    kind: "Eviction",
    verbs: ["create"],
  });
  assertEquals((await api.get("/apis/apps")).body.preferredVersion.version, "v1");
});

Deno.test("Discovery gives everything in one document when asked, with an ETag", async () => {
  using api = new Harness();
  const { body, headers } = await api.get("/apis", { accept: AGGREGATED });
  assertEquals(headers.get("content-type"), "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  const apps = body.items.find(({ metadata }: Loose) => metadata.name === "apps");
  const deployments = apps.versions[0].resources.find(({ resource }: Loose) => resource === "deployments");
  assertEquals([deployments.scope, deployments.responseKind], ["Namespaced", {
    group: "apps",
    version: "v1",
    kind: "Deployment",
  }]);
  assertEquals(deployments.subresources.map(({ subresource }: Loose) => subresource).sort(), ["scale", "status"]);
  const etag = headers.get("etag")!;
  assertEquals((await api.get("/apis", { accept: AGGREGATED, headers: { "if-none-match": etag } })).status, 304);
  assertEquals((await api.get("/api", { accept: AGGREGATED })).body.items[0].versions[0].version, "v1");
});

Deno.test("ApiServer serves every built-in resource that can be listed", async () => {
  using api = new Harness();
  for (const { group, version, plural, kind, verbs } of BUILT_IN_RESOURCES) {
    if (!verbs?.includes("list")) continue;
    const { status, body } = await api.get(`${group ? `/apis/${group}` : "/api"}/${version}/${plural}`);
    assertEquals([status, body.kind], [200, `${kind}List`]);
  }
});

Deno.test("ApiServer is healthy and says its version", async () => {
  using api = new Harness();
  for (const path of ["/healthz", "/livez", "/readyz"]) assertEquals((await api.get(path)).body, "ok");
  const { major, minor, gitVersion } = (await api.get("/version")).body;
  assertEquals([major, minor, gitVersion], ["1", "36", "v1.36.0+kubeloop"]);
});

Deno.test("OpenAPI v3 tells kubectl of every kind that can be patched", async () => {
  using api = new Harness();
  const { paths } = (await api.get("/openapi/v3")).body;
  assert(paths["apis/apps/v1"].serverRelativeURL.startsWith("/openapi/v3/apis/apps/v1?hash="));
  const document = (await api.get("/openapi/v3/apis/apps/v1")).body;
  const { patch } = document.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
  assertEquals(patch["x-kubernetes-group-version-kind"], { group: "apps", version: "v1", kind: "Deployment" });
  assertEquals(patch.parameters[0].name, "fieldValidation");
  assertEquals((await api.get("/openapi/v3/apis/none/v1")).status, 404);
});

Deno.test("Events of both APIs are one object", async () => {
  using api = new Harness();
  const event = {
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    message: "hello",
    count: 3,
  };
  await api.post("/api/v1/namespaces/default/events", event);
  const { body } = await api.get("/apis/events.k8s.io/v1/namespaces/default/events/e");
  assertEquals([body.regarding.name, body.note, body.deprecatedCount, body.message], ["p", "hello", 3, undefined]);
  await api.patch("/apis/events.k8s.io/v1/namespaces/default/events/e", { note: "bye" });
  assertEquals((await api.get("/api/v1/namespaces/default/events/e")).body.message, "bye");
});

Deno.test("Autoscalers of both versions are one object", async () => {
  using api = new Harness();
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
  const path = "horizontalpodautoscalers";
  await api.post(`/apis/autoscaling/v1/namespaces/default/${path}`, {
    metadata: { name: "h" },
    spec: { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 60 },
  });
  const { body } = await api.get(`/apis/autoscaling/v2/namespaces/default/${path}/h`);
  assertEquals(body.spec.metrics, [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
  ]);
  const old = await api.get(`/apis/autoscaling/v1/namespaces/default/${path}/h`);
  assertEquals(old.body.spec.targetCPUUtilizationPercentage, 60);
});

Deno.test("Tables show a pod as kubectl prints it", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, pod("p"));
  await api.world.clock.advance(125_000);
  const { body } = await api.get(PODS, { accept: TABLE });
  assertEquals(body.columnDefinitions.slice(0, 5).map(({ name }: Loose) => name), [
    "Name",
    "Ready",
    "Status",
    "Restarts",
    "Age",
  ]);
  assertEquals(body.rows[0].cells.slice(0, 5), ["p", "0/1", "Pending", "0", "2m5s"]);
  assertEquals(body.rows[0].object.kind, "PartialObjectMetadata");
  const whole = await api.get(`${PODS}?includeObject=Object`, { accept: TABLE });
  assertEquals(whole.body.rows[0].object.kind, "Pod");
  const watch = await api.watch(PODS, "", { accept: TABLE });
  const { object } = await watch.next();
  assertEquals([object.kind, object.rows[0].cells[0]], ["Table", "p"]);
  await watch.cancel();
  const roles = await api.get("/apis/rbac.authorization.k8s.io/v1/clusterroles", { accept: TABLE });
  assertEquals(roles.body.columnDefinitions.map(({ name }: Loose) => name), ["Name", "Created At"]);
  assertEquals((await api.get(CONFIG_MAPS, { accept: TABLE })).body.rows, []);
});
