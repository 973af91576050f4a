import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DEPLOYMENTS, NAMESPACES, NODES, type Pod, PODS, SERVICEACCOUNTS } from "../../../src/api/mod.ts";
import { type Client, StatusError } from "../../../src/client/mod.ts";
import { type SeenRequest, testClient } from "./test_server.ts";

const ref = { namespace: "default", name: "web-0" };
const json = (body: unknown) => Response.json(body);

interface VerbCase {
  readonly name: string;
  readonly call: (client: Client) => Promise<unknown>;
  readonly line: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly accept?: string;
}

const pod: Pod = { metadata: { name: "web-0", namespace: "default", resourceVersion: "5" } };
const fullPod = { apiVersion: "v1", kind: "Pod", ...pod };
const deleteBody = { kind: "DeleteOptions", apiVersion: "v1" };

const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

const CASES: readonly VerbCase[] = [
  { name: "get", call: (c) => c.get(PODS, ref), line: "GET /api/v1/namespaces/default/pods/web-0" },
  {
    name: "get with a resourceVersion and a subresource",
    call: (c) => c.get(DEPLOYMENTS, ref, { resourceVersion: "0", subresource: "scale" }),
    line: "GET /apis/apps/v1/namespaces/default/deployments/web-0/scale?resourceVersion=0",
  },
  { name: "get of a cluster-scoped object", call: (c) => c.get(NODES, { name: "n1" }), line: "GET /api/v1/nodes/n1" },
  {
    name: "get of a namespace",
    call: (c) => c.get(NAMESPACES, { name: "kube-system" }),
    line: "GET /api/v1/namespaces/kube-system",
  },
  {
    name: "list, everything",
    call: (c) =>
      c.list(PODS, {
        namespace: "x",
        labelSelector: "a in (b,c)",
        fieldSelector: "spec.nodeName=n1",
        limit: 5,
        continue: "T/=",
        resourceVersion: "7",
        resourceVersionMatch: "Exact",
      }),
    line:
      "GET /api/v1/namespaces/x/pods?continue=T%2F%3D&fieldSelector=spec.nodeName%3Dn1&labelSelector=a%20in%20(b%2Cc)" +
      "&limit=5&resourceVersion=7&resourceVersionMatch=Exact",
  },
  { name: "list of all namespaces", call: (c) => c.list(PODS), line: "GET /api/v1/pods" },
  {
    name: "create",
    call: (c) => c.create(PODS, pod, { fieldManager: "me", dryRun: true }),
    line: "POST /api/v1/namespaces/default/pods?dryRun=All&fieldManager=me",
    contentType: "application/json",
    body: fullPod,
  },
  {
    name: "create of a subresource",
    call: (c) => c.createSubresource(SERVICEACCOUNTS, ref, { subresource: "token", body: { spec: {} } }),
    line: "POST /api/v1/namespaces/default/serviceaccounts/web-0/token",
    contentType: "application/json",
    body: { spec: {} },
  },
  {
    name: "update",
    call: (c) => c.update(PODS, pod),
    line: "PUT /api/v1/namespaces/default/pods/web-0",
    contentType: "application/json",
    body: fullPod,
  },
  {
    name: "updateStatus",
    call: (c) => c.updateStatus(PODS, pod),
    line: "PUT /api/v1/namespaces/default/pods/web-0/status",
    contentType: "application/json",
    body: fullPod,
  },
  {
    name: "patch, JSON",
    call: (c) => c.patch(PODS, ref, { type: "json", body: [] }),
    line: "PATCH /api/v1/namespaces/default/pods/web-0",
    contentType: "application/json-patch+json",
    body: [],
  },
  {
    name: "patch, merge",
    call: (c) => c.patch(PODS, ref, { type: "merge", body: { a: null }, subresource: "status" }),
    line: "PATCH /api/v1/namespaces/default/pods/web-0/status",
    contentType: "application/merge-patch+json",
    body: { a: null },
  },
  {
    name: "patch, strategic",
    call: (c) => c.patch(PODS, ref, { type: "strategic", body: {}, force: true }),
    line: "PATCH /api/v1/namespaces/default/pods/web-0",
    contentType: "application/strategic-merge-patch+json",
    body: {},
  },
  {
    name: "apply",
    call: (c) => c.apply(PODS, pod, { fieldManager: "me", force: true }),
    line: "PATCH /api/v1/namespaces/default/pods/web-0?fieldManager=me&force=true",
    contentType: "application/apply-patch+yaml",
    body: fullPod,
  },
  {
    name: "delete without options",
    call: (c) => c.delete(DEPLOYMENTS, ref),
    line: "DELETE /apis/apps/v1/namespaces/default/deployments/web-0",
    contentType: "application/json",
    body: { kind: "DeleteOptions", apiVersion: "apps/v1" },
    accept: METADATA,
  },
  {
    name: "delete with everything",
    call: (c) =>
      c.delete(PODS, ref, {
        gracePeriodSeconds: 0,
        propagationPolicy: "Foreground",
        preconditions: { uid: "u", resourceVersion: "5" },
        dryRun: true,
      }),
    line: "DELETE /api/v1/namespaces/default/pods/web-0",
    contentType: "application/json",
    body: {
      ...deleteBody,
      gracePeriodSeconds: 0,
      preconditions: { uid: "u", resourceVersion: "5" },
      propagationPolicy: "Foreground",
      dryRun: ["All"],
    },
    accept: METADATA,
  },
  {
    name: "deleteCollection",
    call: (c) => c.deleteCollection(PODS, { namespace: "x", labelSelector: "a=b", propagationPolicy: "Background" }),
    line: "DELETE /api/v1/namespaces/x/pods?labelSelector=a%3Db",
    contentType: "application/json",
    body: { ...deleteBody, propagationPolicy: "Background" },
    accept: METADATA_LIST,
  },
  {
    name: "createMetadata",
    call: (c) => c.createMetadata(PODS, pod),
    line: "POST /api/v1/namespaces/default/pods",
    contentType: "application/json",
    body: fullPod,
    accept: METADATA,
  },
  {
    name: "getMetadata",
    call: (c) => c.getMetadata(PODS, ref),
    line: "GET /api/v1/namespaces/default/pods/web-0",
    accept: METADATA,
  },
  {
    name: "listMetadata",
    call: (c) => c.listMetadata(PODS, { namespace: "x" }),
    line: "GET /api/v1/namespaces/x/pods",
    accept: METADATA_LIST,
  },
  {
    name: "patchMetadata",
    call: (c) => c.patchMetadata(PODS, ref, { type: "merge", body: {} }),
    line: "PATCH /api/v1/namespaces/default/pods/web-0",
    contentType: "application/merge-patch+json",
    body: {},
    accept: METADATA,
  },
  { name: "request", call: (c) => c.request("GET", "/version"), line: "GET /version" },
];

for (const { name, call, line, contentType, body, accept = "application/json, */*" } of CASES) {
  Deno.test(`Client sends the right request for ${name}`, async () => {
    const { client, seen } = testClient([json({ metadata: { generateName: "x" } })]);
    await call(client);
    const [request] = seen;
    assertEquals(`${request.method} ${request.path}`, line);
    assertEquals(request.headers.get("accept"), accept);
    assertEquals(request.headers.get("content-type"), contentType ?? null);
    assertEquals(request.headers.get("user-agent"), "test");
    assertEquals(request.text === "" ? undefined : JSON.parse(request.text), body);
  });
}

const REFUSED: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "resource name may not be empty": (c) => c.get(PODS, { namespace: "x", name: "" }),
  "an empty namespace may not be set when a resource name is provided": (c) => c.delete(PODS, { name: "a" }),
  "an empty namespace may not be set during creation": (c) => c.create(PODS, { metadata: { name: "a" } }),
  "name \"a/b\" may not contain '/' or '%'": (c) => c.get(PODS, { namespace: "x", name: "a/b" }),
  "name may not be '..'": (c) => c.delete(PODS, { namespace: "x", name: ".." }),
  "namespace may not be '.'": (c) => c.list(PODS, { namespace: "." }),
  "fieldManager may not be empty": (c) => c.apply(PODS, pod, { fieldManager: "" }),
};

for (const [message, call] of Object.entries(REFUSED)) {
  Deno.test(`Client refuses before sending: ${message}`, async () => {
    const { client, seen } = testClient([json({})]);
    await assertRejects(() => call(client), TypeError, message);
    assertEquals(seen.length, 0);
  });
}

Deno.test("Client: a request for one object never goes out with an empty name, nor with an empty namespace for a namespaced resource", async () => {
  const { client, seen } = testClient([json({})]);
  await assertRejects(() => client.update(PODS, { metadata: { namespace: "x" } }), TypeError);
  await assertRejects(() => client.patch(PODS, { namespace: "x", name: "" }, { type: "merge", body: {} }), TypeError);
  await assertRejects(() => client.get(PODS, { namespace: "", name: "a" }), TypeError);
  await assertRejects(() => client.deleteCollection(PODS, { namespace: "a/b" }), TypeError);
  assertEquals(seen.length, 0);
});

Deno.test("Client: integers beyond 2^53 survive reading and writing back", async () => {
  const text =
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b"},"spec":{"x":9223372036854775807}}';
  const { client, seen } = testClient([() => new Response(text)]);
  const read = await client.get(PODS, { namespace: "b", name: "a" });
  await client.update(PODS, read);
  assertEquals(seen[1].text, text);
});

Deno.test("Client fills in apiVersion and kind of the items of a list", async () => {
  const body = { kind: "DeploymentList", apiVersion: "apps/v1", metadata: {}, items: [{ metadata: { name: "a" } }] };
  const { client } = testClient([json(body)]);
  const { items } = await client.list(DEPLOYMENTS);
  assertEquals(items, [{ metadata: { name: "a" }, apiVersion: "apps/v1", kind: "Deployment" }]);
});

Deno.test("Client reads a list without items as an empty one", async () => {
  const { client } = testClient([json({ kind: "PodList", items: null })]);
  assertEquals((await client.list(PODS)).items, []);
});

Deno.test("Client keeps only metadata when a server answers with full objects", async () => {
  const item = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-0" }, spec: { nodeName: "n" } };
  const { client } = testClient([json(item), json({ metadata: {}, items: [item] })]);
  const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "web-0" } };
  assertEquals(await client.getMetadata(PODS, ref), partial);
  assertEquals((await client.listMetadata(PODS)).items, [partial]);
});

Deno.test("Client.getMetadata refuses an answer that is not an object", async () => {
  const { client } = testClient([json({ kind: "Table", metadata: {} })]);
  await assertRejects(() => client.getMetadata(PODS, ref), TypeError, "Table");
});

Deno.test("Client: an unsuccessful answer throws StatusError; so does a success whose body is a Status other than Success", async () => {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "NotFound",
    code: 404,
    message: "gone",
  };
  const { client } = testClient([json(status)]);
  const error = await assertRejects(() => client.delete(PODS, ref), StatusError, "gone");
  assertEquals(error.reason, "NotFound");
});

const SUCCESS = { kind: "Status", apiVersion: "v1", status: "Success", details: { name: "web-0" } };

Deno.test("Client.deleteAndRead returns a Status of success, or the object that lingers", async () => {
  const { client } = testClient([json(SUCCESS), json({ ...fullPod })]);
  assertEquals((await client.deleteAndRead(PODS, ref)).kind, "Status");
  assertEquals((await client.deleteAndRead(PODS, ref)).kind, "Pod");
});

Deno.test("Client.delete and deleteCollection do without the object that lingers, a Status of success, or an answer at all", async () => {
  const answers = () => [json(SUCCESS), json({ ...fullPod }), new Response(" \n"), new Response('{"half an obj')];
  for (const answer of answers()) await testClient([answer]).client.delete(PODS, ref);
  for (const answer of answers()) await testClient([answer]).client.deleteCollection(PODS, { namespace: "default" });
});

Deno.test("Client.delete and deleteCollection fail with what is not an API server's answer, and with a Status that says so", async () => {
  const page = () => testClient([new Response("<html>log in</html>")]).client;
  await assertRejects(() => page().delete(PODS, ref), Error, "Cannot read the answer to DELETE");
  await assertRejects(() => page().deleteCollection(PODS), Error, "Cannot read the answer to DELETE");
  const failed = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Conflict", code: 409 };
  const failure = () => testClient([new Response(JSON.stringify(failed, undefined, 2))]).client;
  await assertRejects(() => failure().delete(PODS, ref), StatusError);
  await assertRejects(() => failure().deleteCollection(PODS), StatusError);
  const refused = testClient([Response.json(failed, { status: 409 })]).client;
  assertEquals((await assertRejects(() => refused.delete(PODS, ref), StatusError)).reason, "Conflict");
});

Deno.test("Client says which request was answered with something that is not JSON", async () => {
  const { client } = testClient([new Response("<html>")]);
  await assertRejects(
    () => client.get(PODS, ref),
    Error,
    "Cannot read the answer to GET /api/v1/namespaces/default/pods/web-0",
  );
});

Deno.test("Client ignores Warning headers", async () => {
  const { client } = testClient([
    new Response("{}", { headers: { "warning": '299 - "deprecated"' } }),
  ]);
  assertEquals(await client.get(PODS, ref), {});
});

Deno.test("Client.request returns JSON parsed and other bodies as text", async () => {
  const { client } = testClient([json({ major: "1" }), new Response("ok")]);
  assertEquals(await client.request("GET", "/version"), { major: "1" });
  assertEquals(await client.request("GET", "/healthz"), "ok");
});

Deno.test("Client keeps a path in the server's URL", async () => {
  const { client, seen } = testClient([json({})], { server: "https://example.test/clusters/a/" });
  await client.request("GET", "/version");
  assertEquals(seen[0].path, "/clusters/a/version");
});

Deno.test("Client.open streams the bytes of a list or a watch", async () => {
  const { client, seen } = testClient([() => new Response("abc")]);
  const query = { watch: true, resourceVersion: "5", allowWatchBookmarks: true, labelSelector: "" };
  const stream = await client.open(PODS, query, { namespace: "x" });
  assertEquals(await new Response(stream).text(), "abc");
  await client.open(PODS, { watch: true }, { metadataOnly: true });
  await client.open(PODS, { limit: 500 }, { metadataOnly: true });
  const accepts = seen.map((request: SeenRequest) => request.headers.get("accept"));
  assertEquals(seen[0].path, "/api/v1/namespaces/x/pods?allowWatchBookmarks=true&resourceVersion=5&watch=true");
  assertEquals(accepts[0], "application/json");
  assertStringIncludes(accepts[1]!, "as=PartialObjectMetadata;");
  assertStringIncludes(accepts[2]!, "as=PartialObjectMetadataList;");
});

Deno.test("Client.open throws the server's refusal", async () => {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410, message: "old" };
  const { client } = testClient([Response.json(status, { status: 410 })]);
  const error = await assertRejects(() => client.open(PODS, { watch: true }), StatusError);
  assertEquals(error.reason, "Expired");
});
