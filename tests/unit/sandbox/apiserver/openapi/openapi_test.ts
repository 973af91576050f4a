import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Harness, type Loose } from "../harness.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const APPS = "/openapi/v3/apis/apps/v1";

/** What a reference points to. */
function nameOf(schema: Loose): string {
  return (schema.$ref ?? schema.allOf[0].$ref).split("/").at(-1);
}

Deno.test("OpenAPI v3 lists a document for every version, with the hash of its content", async () => {
  using api = new Harness();
  const { body, headers } = await api.get("/openapi/v3");
  assertEquals(headers.get("content-type"), "text/plain; charset=utf-8");
  assertEquals(Object.keys(body.paths).length, 22);
  const address = body.paths["apis/apps/v1"].serverRelativeURL;
  assert(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/.test(address), address);
  assertEquals((await api.get("/openapi/v3")).body, body);
});

Deno.test("OpenAPI v3 documents can be kept for ever under their hash", async () => {
  using api = new Harness();
  const address = (await api.get("/openapi/v3")).body.paths["apis/apps/v1"].serverRelativeURL;
  const kept = await api.get(address);
  assertEquals([kept.status, kept.headers.get("cache-control")], [200, "public, immutable"]);
  assertEquals(kept.headers.get("expires"), "Fri, 01 Jan 2027 00:00:00 GMT");
  const etag = kept.headers.get("etag")!;
  assertStringIncludes(address, etag.slice(1, -1));
  const plain = await api.get(APPS);
  assertEquals([plain.headers.get("etag"), plain.headers.get("cache-control")], [etag, null]);
  assertEquals((await api.get(APPS, { headers: { "if-none-match": etag } })).status, 304);
  const stale = await api.get(`${APPS}?hash=ABC`);
  assertEquals([stale.status, stale.headers.get("location")], [301, address]);
});

Deno.test("OpenAPI v3 documents are JSON, and only of what is served", async () => {
  using api = new Harness();
  assertEquals((await api.get(APPS, { accept: "text/html" })).status, 406);
  const protobufFirst = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf,application/json";
  assertEquals((await api.get(APPS, { accept: protobufFirst })).headers.get("content-type"), "application/json");
  for (const path of ["/openapi/v3/apis/none/v1", "/openapi/v3/apis", "/openapi/v3/api", "/openapi/v3/api/v9"]) {
    assertEquals((await api.get(path)).status, 404, path);
  }
});

Deno.test("OpenAPI v3 tells kubectl how a kind is patched and validated", async () => {
  using api = new Harness();
  const { paths } = (await api.get(APPS)).body;
  const { patch, parameters } = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
  assertEquals(patch.operationId, "patchAppsV1NamespacedDeployment");
  assertEquals(patch["x-kubernetes-group-version-kind"], { group: "apps", version: "v1", kind: "Deployment" });
  assertEquals(patch.parameters.map(({ name }: Loose) => name), ["dryRun", "fieldManager", "fieldValidation", "force"]);
  assertEquals(parameters.map(({ name }: Loose) => name), ["name", "namespace", "pretty"]);
  assertEquals(Object.keys(patch.requestBody.content), [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
  ]);
  const scale = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"].get;
  assertEquals(nameOf(scale.responses[200].content["application/json"].schema), "io.k8s.api.autoscaling.v1.Scale");
  assertEquals(paths["/apis/apps/v1/deployments"].get.operationId, "listAppsV1DeploymentForAllNamespaces");
});

Deno.test("OpenAPI v3 schemas carry merge keys, list kinds and defaults", async () => {
  using api = new Harness();
  const { schemas } = (await api.get("/openapi/v3/api/v1")).body.components;
  const { containers, tolerations } = schemas["io.k8s.api.core.v1.PodSpec"].properties;
  assertEquals(
    [containers["x-kubernetes-patch-merge-key"], containers["x-kubernetes-patch-strategy"], containers.items],
    ["name", "merge", { allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.Container" }], default: {} }],
  );
  assertEquals(tolerations["x-kubernetes-list-type"], "atomic");
  const { ports, args, resources } = schemas["io.k8s.api.core.v1.Container"].properties;
  assertEquals(ports["x-kubernetes-list-map-keys"], ["containerPort", "protocol"]);
  assertEquals(args.items, { type: "string", default: "" });
  assertEquals(nameOf(resources), "io.k8s.api.core.v1.ResourceRequirements");
  const { limits } = schemas["io.k8s.api.core.v1.ResourceRequirements"].properties;
  assertEquals(limits.additionalProperties, {
    $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity",
  });
});

Deno.test("OpenAPI v3 documents hold every schema that they refer to, and no other", async () => {
  using api = new Harness();
  const { paths } = (await api.get("/openapi/v3")).body;
  for (const path of Object.keys(paths)) {
    const { body } = await api.get(`/openapi/v3/${path}`);
    const held = Object.keys(body.components.schemas);
    const text = JSON.stringify(body);
    const referred = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    assertEquals([...referred].sort(), held.sort(), path);
  }
});

Deno.test("OpenAPI v3 says of DeleteOptions that it belongs to the document's version", async () => {
  using api = new Harness();
  const { schemas } = (await api.get(APPS)).body.components;
  const options = schemas["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
  assertEquals(options["x-kubernetes-group-version-kind"], [
    { group: "", kind: "DeleteOptions", version: "v1" },
    { group: "apps", kind: "DeleteOptions", version: "v1" },
  ]);
});

Deno.test("OpenAPI v3 documents custom resources as their definition describes them", async () => {
  using api = new Harness();
  const before = (await api.get("/openapi/v3")).body.paths;
  await api.post(DEFINITIONS, {
    metadata: { name: "gizmos.a.example.com" },
    spec: {
      group: "a.example.com",
      scope: "Namespaced",
      names: { kind: "Gizmo", plural: "gizmos" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "a toy",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer" },
                  port: { "x-kubernetes-int-or-string": true },
                  inner: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
            },
          },
        },
      }],
    },
  });
  await api.world.clock.advance(1000);
  const { paths } = (await api.get("/openapi/v3")).body;
  assertEquals(Object.keys(paths).filter((path) => !(path in before)), ["apis/a.example.com/v1"]);
  assertEquals(paths["apis/apps/v1"], before["apis/apps/v1"]);
  const { body } = await api.get(paths["apis/a.example.com/v1"].serverRelativeURL);
  const gizmo = body.components.schemas["com.example.a.v1.Gizmo"];
  assertEquals([gizmo.description, gizmo["x-kubernetes-group-version-kind"]], ["a toy", [
    { group: "a.example.com", kind: "Gizmo", version: "v1" },
  ]]);
  const { size, port, inner } = gizmo.properties.spec.properties;
  assertEquals([size, port.anyOf], [{ type: "integer" }, [{ type: "integer" }, { type: "string" }]]);
  assertEquals([inner.required, Object.keys(inner.properties)], [["kind", "apiVersion"], [
    "apiVersion",
    "kind",
    "metadata",
  ]]);
  assertEquals(nameOf(gizmo.properties.metadata), "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const { patch } = body.paths["/apis/a.example.com/v1/namespaces/{namespace}/gizmos/{name}"];
  assert(!("application/strategic-merge-patch+json" in patch.requestBody.content));
  const { responses } = body.paths["/apis/a.example.com/v1/gizmos"].get;
  assertEquals(nameOf(responses[200].content["application/json"].schema), "com.example.a.v1.GizmoList");
});

Deno.test("OpenAPI v2 is a document that describes nothing", async () => {
  using api = new Harness();
  const { body } = await api.get("/openapi/v2");
  assertEquals([body.swagger, body.definitions], ["2.0", {}]);
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const protobuf = await api.get("/openapi/v2", { accept });
  assertEquals([protobuf.status, protobuf.body], [200, ""]);
  assertEquals(
    protobuf.headers.get("content-type"),
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  );
});

Deno.test("OpenAPI v3 has the kinds of versions that a feature gate has served, as kubectl explain needs", async () => {
  using api = new Harness({ featureGates: { GenericWorkload: true } });
  const { status, body } = await api.get("/openapi/v3/apis/scheduling.k8s.io/v1alpha2");
  assertEquals(status, 200);
  const { get } = body.paths["/apis/scheduling.k8s.io/v1alpha2/namespaces/{namespace}/workloads/{name}"];
  assertEquals(get["x-kubernetes-group-version-kind"].kind, "Workload");
  const workload = body.components.schemas["io.k8s.api.scheduling.v1alpha2.Workload"];
  assertEquals(nameOf(workload.properties.spec), "io.k8s.api.scheduling.v1alpha2.WorkloadSpec");
  assert("io.k8s.api.scheduling.v1alpha2.PodGroupTemplate" in body.components.schemas);
});
