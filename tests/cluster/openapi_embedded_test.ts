/** The OpenAPI v3 documents of the embedded server and of kube-apiserver say the same. */
import { assert, assertEquals } from "@std/assert";
import { clusterTest } from "./cluster.ts";
import { embeddedServer, type Features, GATED, type Server, startRealServer } from "./differential/servers.ts";

type Json = Record<string, unknown>;

interface Document {
  readonly paths: Record<string, Json>;
  readonly components: { readonly schemas: Record<string, Json> };
}

/** Deprecated paths, and paths without JSON bodies, which the embedded server does not document. */
const UNDOCUMENTED = /^\/apis?\/(?:[^/]+\/)?[^/]+\/(?:$|watch\/)|\/(?:attach|exec|log|portforward|proxy)(?:\/|$)/;

async function get<T>(server: Server, path: string): Promise<T> {
  const response = await server.fetch(new Request(`${server.url}${path}`, { headers: { accept: "application/json" } }));
  assertEquals(response.status, 200, path);
  return JSON.parse(await response.text());
}

/** Without descriptions, which the embedded server does not have, and protobuf, which it does not speak. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !(key === "description" && typeof item === "string") && !key.includes("protobuf"))
      .map(([key, item]) => [key, comparable(item)]),
  );
}

/** What both documents have to say. */
function essence({ paths, components }: Document): { paths: Json; schemas: Json } {
  const documented = Object.entries(paths).filter(([path]) => !UNDOCUMENTED.test(path));
  // Only the deprecated watch paths lead to these.
  const { ["io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"]: _event, ...schemas } = components.schemas;
  delete schemas["io.k8s.apimachinery.pkg.runtime.RawExtension"];
  return {
    paths: Object.fromEntries(documented.map(([path, item]) => [path, comparable(item) as Json])),
    schemas: comparable(schemas) as Json,
  };
}

/** The documentation of a namespace's deletion speaks of a Status; what comes is the namespace. */
function withoutNamespaceDeletion({ paths, schemas }: { paths: Json; schemas: Json }): { paths: Json; schemas: Json } {
  const { delete: _deletion, ...rest } = (paths["/api/v1/namespaces/{name}"] ?? {}) as Json;
  return { paths: { ...paths, "/api/v1/namespaces/{name}": rest }, schemas };
}

/** What both servers document, by version; those of upstream's test kinds left out. */
async function* documents(features?: Features) {
  await using real = await startRealServer(features);
  await using embedded = embeddedServer(features);
  const { paths } = await get<{ paths: Record<string, { serverRelativeURL: string }> }>(embedded, "/openapi/v3");
  const index = await get<{ paths: Record<string, { serverRelativeURL: string }> }>(real, "/openapi/v3");
  const versions = Object.keys(index.paths).filter((path) => /^(api|apis\/[^/]+)\/v\d\w*$/.test(path));
  const builtIn = versions.filter((path) => !path.includes("example.com"));
  assertEquals(Object.keys(paths).sort(), builtIn.sort());
  for (const path of builtIn) {
    const wanted = essence(await get<Document>(real, index.paths[path].serverRelativeURL));
    yield { path, wanted, got: essence(await get<Document>(embedded, paths[path].serverRelativeURL)) };
  }
}

clusterTest("OpenAPI v3 of the embedded server describes every kind as kube-apiserver's does", async () => {
  let kinds = 0;
  for await (const { path, wanted, got } of documents()) {
    assertEquals(withoutNamespaceDeletion(got), withoutNamespaceDeletion(wanted), path);
    kinds += Object.keys(got.schemas).length;
  }
  assert(kinds > 600, `only ${kinds} schemas were compared`);
});

clusterTest(
  "OpenAPI v3 of the embedded server describes kinds behind feature gates as kube-apiserver's does",
  async () => {
    let kinds = 0;
    for await (const { path, wanted, got } of documents(GATED)) {
      // DeviceTaintRules have one version here.
      const shared = Object.fromEntries(Object.keys(got.schemas).map((name) => [name, wanted.schemas[name]]));
      assertEquals(got.schemas, shared, path);
      if (GATED.versions.some((version) => path.endsWith(version))) kinds += Object.keys(got.schemas).length;
    }
    assert(kinds > 60, `only ${kinds} schemas were compared`);
  },
);
