/** Services behind the API server. */
import { assertEquals } from "@std/assert";
import { Harness, type Loose } from "../harness.ts";

const APISERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

function apiService(group: string, version: string, spec: object = {}): Loose {
  const service = { namespace: "default", name: "behind" };
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 100, versionPriority: 10, service, ...spec },
  };
}

/** Answers with the path, and discovers nothing. */
function echo(status = 200): (request: Request) => Promise<Response> {
  return ({ url }) => {
    const { pathname } = new URL(url);
    return Promise.resolve(
      pathname === "/apis" ? new Response(null, { status: 404 }) : Response.json({ pathname }, { status }),
    );
  };
}

function condition({ body }: { readonly body: Loose }): string[] {
  const { type, status, reason, message } = body.status.conditions?.[0] ?? {};
  return [type, status, reason, message];
}

Deno.test("Aggregator: an APIService that names a known service is available; its version is served and discovered as the service does it", async () => {
  using api = new Harness();
  api.server.addService({ namespace: "default", name: "behind", fetch: echo() });
  assertEquals((await api.get("/apis/a.example.com/v1/things")).status, 404);
  assertEquals((await api.post(APISERVICES, apiService("a.example.com", "v1"))).status, 201);
  await api.world.clock.advance(0);
  const found = await api.get(`${APISERVICES}/v1.a.example.com`);
  assertEquals(condition(found), ["Available", "True", "Passed", "all checks passed"]);
  assertEquals(found.body.spec.service.port, 443);
  for (const path of ["/apis/a.example.com/v1", "/apis/a.example.com/v1/namespaces/b/things/c/d"]) {
    assertEquals((await api.get(path)).body, { pathname: path });
  }
  assertEquals((await api.get("/apis/a.example.com/v2")).status, 404);
  assertEquals((await api.get("/apis/a.example.com")).body.preferredVersion.version, "v1");
  assertEquals((await api.get("/")).body.paths.filter((path: string) => path.includes("a.example")), [
    "/apis/a.example.com",
    "/apis/a.example.com/v1",
  ]);
  await api.delete(`${APISERVICES}/v1.a.example.com`);
  assertEquals((await api.get("/apis/a.example.com/v1/things")).status, 404);
  assertEquals((await api.get("/apis/a.example.com")).status, 404);
});

Deno.test("Aggregator: one that names any other service is not available: its version is discovered as stale, and every request for it is answered with 503", async () => {
  using api = new Harness();
  const service = { namespace: "default", name: "nowhere" };
  await api.post(APISERVICES, apiService("a.example.com", "v1", { service }));
  api.server.addService({ namespace: "default", name: "behind", fetch: echo() });
  await api.post(APISERVICES, apiService("b.example.com", "v1"));
  await api.world.clock.advance(0);
  await api.patch(`${APISERVICES}/v1.b.example.com`, { spec: { service } });
  await api.world.clock.advance(0);
  for (const group of ["a.example.com", "b.example.com"]) {
    assertEquals(condition(await api.get(`${APISERVICES}/v1.${group}`)), [
      "Available",
      "False",
      "ServiceNotFound",
      'service/nowhere in "default" is not present',
    ]);
    for (const path of ["", "/things", "/namespaces/x/things/y"]) {
      const { status, body, headers } = await api.get(`/apis/${group}/v1${path}`);
      assertEquals([status, body], [503, "service unavailable\n"]);
      assertEquals(headers.get("content-type"), "text/plain; charset=utf-8");
    }
    assertEquals((await api.get(`/apis/${group}/v2`)).status, 404);
    const version = { groupVersion: `${group}/v1`, version: "v1" };
    const shown = { name: group, versions: [version], preferredVersion: version };
    assertEquals((await api.get(`/apis/${group}`)).body, { kind: "APIGroup", apiVersion: "v1", ...shown });
    assertEquals((await api.get("/apis")).body.groups.filter(({ name }: Loose) => name === group), [shown]);
    const { items } = (await api.get("/apis", { accept: AGGREGATED })).body;
    assertEquals(items.filter(({ metadata }: Loose) => metadata.name === group), [{
      metadata: { name: group },
      versions: [{ version: "v1", freshness: "Stale" }],
    }]);
  }
});

Deno.test("Aggregator: a version that the server itself serves is never forwarded", async () => {
  using api = new Harness();
  api.server.addService({ namespace: "default", name: "behind", fetch: echo() });
  const service = { namespace: "default", name: "behind", port: 443 };
  await api.patch(`${APISERVICES}/v1.apps`, { spec: { service } });
  assertEquals((await api.get("/apis/apps/v1/deployments")).body.kind, "DeploymentList");
  assertEquals((await api.get("/apis")).body.groups.filter(({ name }: Loose) => name === "apps").length, 1);
});

Deno.test("Aggregator: a service whose discovery fails leaves its versions in the list, as stale", async () => {
  using api = new Harness();
  const apiServices = [
    apiService("a.example.com", "v1beta1", { versionPriority: 5 }),
    apiService("a.example.com", "v1"),
    apiService("first.example.com", "v1", { groupPriorityMinimum: 17900 }),
  ];
  api.server.addService({ namespace: "default", name: "behind", fetch: echo(), apiServices });
  const { items } = (await api.get("/apis", { accept: AGGREGATED })).body;
  assertEquals(items.slice(0, 3).map(({ metadata }: Loose) => metadata.name), [
    "apiregistration.k8s.io",
    "first.example.com",
    "apps",
  ]);
  assertEquals(items.at(-1), {
    metadata: { name: "a.example.com" },
    versions: [{ version: "v1", freshness: "Stale" }, { version: "v1beta1", freshness: "Stale" }],
  });
});

Deno.test("Aggregator lets in only who may", async () => {
  using api = new Harness({ authentication: "required", authorization: "RBAC" });
  const apiServices = [apiService("a.example.com", "v1")];
  api.server.addService({ namespace: "default", name: "behind", fetch: echo(), apiServices });
  const path = "/apis/a.example.com/v1/namespaces/b/things";
  const { status, body } = await api.get(path);
  assertEquals(status, 403);
  assertEquals(
    body.message,
    'things.a.example.com is forbidden: User "system:anonymous" cannot list resource "things" in API group "a.example.com" in the namespace "b"',
  );
  const headers = { authorization: `Bearer ${api.server.adminToken}` };
  assertEquals((await api.get(path, { headers })).body, { pathname: path });
});

Deno.test("APIServices say whom to believe, where others serve them", async () => {
  using api = new Harness();
  const fields = async (spec: object) => {
    const { body } = await api.post(APISERVICES, apiService("a.example.com", "v1", spec));
    return body.details?.causes.map(({ field, message }: Loose) => `${field}: ${message}`);
  };
  assertEquals(await fields({ service: undefined, insecureSkipTLSVerify: true, caBundle: btoa("four") }), [
    'spec.caBundle: Invalid value: "Zm91cg==": must not be set for local APIServices',
    "spec.insecureSkipTLSVerify: Invalid value: true: must not be set for local APIServices",
  ]);
  assertEquals(await fields({ service: { port: 70_000 }, insecureSkipTLSVerify: true, caBundle: btoa("four") }), [
    "spec.service.namespace: Required value",
    "spec.service.name: Required value",
    "spec.service.port: Invalid value: 70000: must be between 1 and 65535, inclusive",
    "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
  ]);
});
