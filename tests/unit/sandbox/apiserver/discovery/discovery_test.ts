import { assert, assertEquals } from "@std/assert";
import { BUILT_IN_RESOURCES } from "../../../../../src/api/mod.ts";
import { Harness, type Loose } from "../harness.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function gizmos(group: string) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    metadata: { name: `gizmos.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Gizmo", plural: "gizmos", shortNames: ["gz"], categories: ["toys"] },
      versions: [
        { name: "v1beta1", served: true, storage: false, schema },
        { name: "v1", served: true, storage: true, schema },
      ],
    },
  };
}

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
    storageVersionHash: "xPOwRZ+Yhw8=",
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
    group: "",
    version: "",
    kind: "Deployment",
  }]);
  assertEquals(deployments.subresources.map(({ subresource }: Loose) => subresource).sort(), ["scale", "status"]);
  const etag = headers.get("etag")!;
  assertEquals((await api.get("/apis", { accept: AGGREGATED, headers: { "if-none-match": etag } })).status, 304);
  assertEquals((await api.get("/api", { accept: AGGREGATED })).body.items[0].versions[0].version, "v1");
  // Upstream gives the one document whatever else is accepted, and before it.
  const both = await api.get("/api", { accept: `application/json,${AGGREGATED}` });
  assertEquals(both.body.kind, "APIGroupDiscoveryList");
  assertEquals((await api.get("/api", { accept: "application/json" })).body.kind, "APIVersions");
});

Deno.test("Discovery lists groups in the order of their priority, then by name", async () => {
  using api = new Harness();
  const names = async () => (await api.get("/apis")).body.groups.map(({ name }: Loose) => name);
  const before = await names();
  assertEquals(before.slice(0, 3), ["apiregistration.k8s.io", "apps", "events.k8s.io"]);
  assertEquals(before.slice(-3), ["discovery.k8s.io", "resource.k8s.io", "flowcontrol.apiserver.k8s.io"]);
  await api.post(DEFINITIONS, gizmos("z.example.com"));
  await api.post(DEFINITIONS, gizmos("a.example.com"));
  await api.world.clock.advance(1000);
  assertEquals((await names()).slice(-3), ["flowcontrol.apiserver.k8s.io", "a.example.com", "z.example.com"]);
});

Deno.test("Discovery has another ETag once a definition is served", async () => {
  using api = new Harness();
  const etag = async () => (await api.get("/apis", { accept: AGGREGATED })).headers.get("etag");
  const before = await etag();
  assertEquals(await etag(), before);
  await api.post(DEFINITIONS, gizmos("a.example.com"));
  await api.world.clock.advance(1000);
  const after = await etag();
  assert(before !== after && /^"[0-9A-F]{128}"$/.test(after!), `${before} became ${after}`);
});

Deno.test("Discovery shows of a custom resource what its definition says", async () => {
  using api = new Harness();
  await api.post(DEFINITIONS, gizmos("a.example.com"));
  await api.world.clock.advance(1000);
  assertEquals((await api.get("/apis/a.example.com")).body.versions.map(({ version }: Loose) => version), [
    "v1",
    "v1beta1",
  ]);
  const { resources } = (await api.get("/apis/a.example.com/v1")).body;
  assertEquals(resources[0], {
    name: "gizmos",
    singularName: "gizmo",
    namespaced: true,
    kind: "Gizmo",
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    shortNames: ["gz"],
    categories: ["toys"],
    storageVersionHash: resources[0].storageVersionHash,
  });
  const beta = (await api.get("/apis/a.example.com/v1beta1")).body.resources;
  assertEquals(beta[0].storageVersionHash, resources[0].storageVersionHash);
  const { items } = (await api.get("/apis", { accept: AGGREGATED })).body;
  const [{ responseKind }] = items.at(-1).versions[0].resources;
  assertEquals(responseKind, { group: "a.example.com", version: "v1", kind: "Gizmo" });
});

Deno.test("Discovery tells an unknown version of a group from an unknown group", async () => {
  using api = new Harness();
  const unknownVersion = await api.get("/apis/apps/v9");
  assertEquals([unknownVersion.status, unknownVersion.body.kind], [404, "Status"]);
  assertEquals((await api.get("/apis/none.example.com/v1")).body, "404 page not found\n");
});

Deno.test("APIServices are there for every version that is served, as long as it is", async () => {
  using api = new Harness();
  const names = async () =>
    (await api.get("/apis/apiregistration.k8s.io/v1/apiservices")).body.items.map(({ metadata }: Loose) =>
      metadata.name
    );
  const before = await names();
  assertEquals(before.length, 21);
  assertEquals(before.filter((name: string) => /autoscaling|^v1\.$|apiregistration/.test(name)), [
    "v1.",
    "v1.autoscaling",
    "v2.autoscaling",
  ]);
  const { body } = await api.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.apps");
  assertEquals(body.spec, { group: "apps", version: "v1", groupPriorityMinimum: 17800, versionPriority: 15 });
  assertEquals([body.status.conditions[0].type, body.status.conditions[0].status], ["Available", "True"]);
  await api.post(DEFINITIONS, gizmos("a.example.com"));
  await api.world.clock.advance(1000);
  assertEquals((await names()).filter((name: string) => !before.includes(name)), [
    "v1.a.example.com",
    "v1beta1.a.example.com",
  ]);
  await api.delete(`${DEFINITIONS}/gizmos.a.example.com`);
  await api.world.clock.advance(10_000);
  assertEquals(await names(), before);
});

Deno.test("APIServices are named after their version and group", async () => {
  using api = new Harness();
  const spec = { group: "a.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 0 };
  const { status, body } = await api.post("/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: "other" },
    spec,
  });
  assertEquals([status, body.details.causes.map(({ field }: Loose) => field)], [
    422,
    ["metadata.name", "spec.versionPriority"],
  ]);
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
  await api.patch("/apis/events.k8s.io/v1/namespaces/default/events/e", { metadata: { labels: { a: "b" } } });
  assertEquals((await api.get("/api/v1/namespaces/default/events/e")).body.metadata.labels, { a: "b" });
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

Deno.test("ApiServer warns who uses a deprecated kind, in lists and watches too", async () => {
  using api = new Harness();
  const endpoints = "/api/v1/namespaces/default/endpoints";
  const text = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';
  for (const path of [`${endpoints}/kubernetes`, `${endpoints}/none`, endpoints, `${endpoints}?limit=1`]) {
    assertEquals((await api.get(path)).headers.get("warning"), text, path);
  }
  const watch = await api.server.fetch(api.request("GET", `${endpoints}?watch=true`));
  await watch.body?.cancel();
  assertEquals(watch.headers.get("warning"), text);
  assertEquals((await api.get("/api/v1/services")).headers.get("warning"), null);
});
