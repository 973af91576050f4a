import { assertEquals, assertStringIncludes } from "@std/assert";
import { APPLY, CONFIG_MAPS, Harness, JSON_PATCH, MERGE, STRATEGIC } from "../harness.ts";

const REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions";

function nested(levels: number): string {
  return '{"a":'.repeat(levels) + "12345678901234567890" + "}".repeat(levels);
}

function revision(levels: number): string {
  return `{"metadata":{"name":"r"},"revision":1,"data":${nested(levels)}}`;
}

Deno.test("ApiServer reads, writes, patches and shows an object of a thousand levels", async () => {
  using api = new Harness({ managedFields: true });
  await api.namespace("default");
  assertEquals((await api.post(REVISIONS, revision(999))).status, 201);
  const path = `${REVISIONS}/r`;
  for (const accept of ["application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"]) {
    assertEquals((await api.get(path, { accept })).status, 200);
  }
  for (const type of [MERGE, STRATEGIC]) assertEquals((await api.patch(path, { revision: 2 }, type)).status, 200);
  const apply = `${path}?fieldManager=m&force=true`;
  const applied = `{"apiVersion":"apps/v1","kind":"ControllerRevision",${revision(999).slice(1)}`;
  assertEquals((await api.patch(apply, applied, APPLY)).status, 200);
  assertEquals((await api.put(path, revision(999))).status, 200);
  assertEquals((await api.delete(path)).status, 200);
});

Deno.test("ApiServer refuses a body that is nested deeper, with upstream's words", async () => {
  using api = new Harness({ managedFields: true });
  await api.namespace("default");
  for (const levels of [1000, 10_000, 300_000]) {
    const { status, body } = await api.post(REVISIONS, revision(levels));
    assertEquals(status, 400);
    assertStringIncludes(body.message, "exceeded max depth");
  }
});

Deno.test("ApiServer refuses a JSON patch that puts what is nested deep into what is nested deep", async () => {
  using api = new Harness({ managedFields: true });
  await api.namespace("default");
  await api.post(REVISIONS, revision(900));
  const path = `/data${"/a".repeat(890)}`;
  const patch = (value: string) =>
    api.patch(`${REVISIONS}/r`, `[{"op":"add","path":"${path}","value":${value}}]`, JSON_PATCH);
  for (const levels of [200, 990]) assertEquals((await patch(nested(levels))).status, 422);
  const copies = Array.from({ length: 40 }, () => ({ op: "copy", from: "/data", path }));
  assertEquals((await api.patch(`${REVISIONS}/r`, copies, JSON_PATCH)).status, 422);
  assertEquals((await api.get(`${REVISIONS}/r`)).body.metadata.generation, undefined);
});

Deno.test("ApiServer refuses what a webhook nests deeper than a body may be", async () => {
  using api = new Harness({ managedFields: true });
  await api.namespace("default");
  let levels = 0;
  api.server.addWebhook("https://deep.example.com", async (request) => {
    const { request: { uid }, ...review } = await request.json();
    const patch = btoa(`[{"op":"replace","path":"/data","value":${nested(levels)}}]`);
    return Response.json({ ...review, response: { uid, allowed: true, patchType: "JSONPatch", patch } });
  });
  await api.post("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
    metadata: { name: "deep" },
    webhooks: [{
      name: "deep.example.com",
      clientConfig: { url: "https://deep.example.com" },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      rules: [{ operations: ["*"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["controllerrevisions"] }],
    }],
  });
  for (levels of [1000, 1500, 50_000]) {
    const { status, body } = await api.post(REVISIONS, revision(1));
    assertEquals([status, body.message], [
      500,
      "Internal error occurred: the patch makes an object that is nested too deep",
    ]);
  }
  levels = 900;
  assertEquals((await api.post(REVISIONS, revision(1))).status, 201);
});

Deno.test("ApiServer takes JSON that is nested deep within text for what it is", async () => {
  using api = new Harness({ managedFields: true });
  await api.namespace("default");
  const secret = (levels: number) => ({
    metadata: { name: "s" },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": btoa(nested(levels)) },
  });
  const { status, body } = await api.post("/api/v1/namespaces/default/secrets", secret(20_000));
  assertEquals(status, 422);
  assertStringIncludes(body.message, "must be a JSON object");
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": `{"apiVersion":"v1","data":${nested(20_000)}}`,
  };
  await api.post(CONFIG_MAPS, { metadata: { name: "m", annotations } });
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "b" } };
  const url = `${CONFIG_MAPS}/m?fieldManager=kubectl&force=true`;
  assertEquals((await api.patch(url, applied, APPLY)).status, 200);
});
