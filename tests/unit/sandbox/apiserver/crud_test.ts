import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, DEPLOYMENTS, Harness, PODS, STRATEGIC, workload } from "./harness.ts";

Deno.test("ApiServer refuses a PUT whose resourceVersion is stale", async () => {
  using api = new Harness();
  const { body } = await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await api.put(`${CONFIG_MAPS}/a`, { ...body, data: { x: "1" } });
  const stale = await api.put(`${CONFIG_MAPS}/a`, { ...body, data: { x: "2" } });
  assertEquals([stale.status, stale.body.reason], [409, "Conflict"]);
  assertEquals(
    stale.body.message,
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the ' +
      "latest version and try again",
  );
  assertEquals(stale.body.details, { name: "a", kind: "configmaps" });
});

Deno.test("ApiServer drops a write that changes nothing", async () => {
  using api = new Harness();
  const created = await api.post(DEPLOYMENTS, workload("d"));
  const revision = api.server.revision;
  // Defaults left out again, and an empty list where none was, are no change either.
  const body = { metadata: { name: "d", finalizers: [] }, spec: { ...workload("d").spec, paused: false } };
  const updated = await api.put(`${DEPLOYMENTS}/d`, body);
  assertEquals(updated.status, 200);
  assertEquals(updated.body.metadata.resourceVersion, created.body.metadata.resourceVersion);
  assertEquals(api.server.revision, revision);
});

Deno.test("ApiServer answers a patch with another uid with 422, a PUT with 409", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const patch = await api.patch(`${CONFIG_MAPS}/a`, { metadata: { uid: "other" } }, STRATEGIC);
  assertEquals([patch.status, patch.body.details.causes[0].field], [422, "metadata.uid"]);
  const put = await api.put(`${CONFIG_MAPS}/a`, { metadata: { name: "a", uid: "other" } });
  assertEquals(put.status, 409);
  assertStringIncludes(put.body.message, "the UID in the precondition (other) does not match the UID in record (");
});

Deno.test("ApiServer fills in uid, creation time and namespace, and ignores what a create says of deletion", async () => {
  using api = new Harness();
  const { status, body } = await api.post(CONFIG_MAPS, {
    metadata: { name: "a", uid: "mine", deletionTimestamp: "2020-01-01T00:00:00Z", generation: 7 },
  });
  assertEquals(status, 201);
  const { uid, resourceVersion, ...rest } = body.metadata;
  // A kind that does not count its generations leaves them to whoever creates.
  assertEquals(rest, { name: "a", namespace: "default", generation: 7, creationTimestamp: "2026-01-01T00:00:00Z" });
  assertMatch(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  assertEquals(resourceVersion, String(api.server.revision));
});

Deno.test("ApiServer refuses a create with a resourceVersion, another namespace, or no name", async () => {
  using api = new Harness();
  const create = (metadata: object) => api.post(CONFIG_MAPS, { metadata });
  assertEquals((await create({ name: "a", resourceVersion: "1" })).status, 500);
  assertEquals((await create({ name: "a", namespace: "other" })).status, 400);
  const nameless = await create({});
  assertEquals([nameless.status, nameless.body.details.causes[0].reason], [422, "FieldValueRequired"]);
});

Deno.test("ApiServer makes names that are unique and short for generateName", async () => {
  using api = new Harness();
  const names = new Set<string>();
  for (let i = 0; i < 1000; i++) {
    const { body } = await api.post(CONFIG_MAPS, { metadata: { generateName: "a".repeat(70) } });
    names.add(body.metadata.name);
  }
  assertEquals(names.size, 1000);
  for (const name of names) assertMatch(name, /^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

Deno.test("ApiServer says that a name is taken, and that its holder goes", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a", finalizers: ["x.y/z"] } });
  const taken = await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  assertEquals([taken.status, taken.body.reason], [409, "AlreadyExists"]);
  assertEquals(taken.body.message, 'configmaps "a" already exists');
  await api.delete(`${CONFIG_MAPS}/a`);
  const going = await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  assertEquals(going.body.message, 'object is being deleted: configmaps "a" already exists');
});

Deno.test("ApiServer creates some kinds by PUT and others not", async () => {
  using api = new Harness();
  const role = { metadata: { name: "r" } };
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/r";
  assertEquals((await api.put(path, role)).status, 201);
  assertEquals((await api.put(path, role)).status, 200);
  assertEquals((await api.put(`${CONFIG_MAPS}/a`, { metadata: { name: "a" } })).status, 404);
});

Deno.test("ApiServer wants a resourceVersion in updates of leases", async () => {
  using api = new Harness();
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const { body } = await api.post(leases, { metadata: { name: "l" }, spec: { holderIdentity: "a" } });
  const blind = await api.put(`${leases}/l`, { metadata: { name: "l" }, spec: { holderIdentity: "b" } });
  assertEquals(blind.status, 422);
  assertStringIncludes(blind.body.message, "must be specified for an update");
  body.spec.holderIdentity = "b";
  assertEquals((await api.put(`${leases}/l`, body)).body.spec.holderIdentity, "b");
});

Deno.test("ApiServer raises the generation of a Deployment for annotations and spec, not for status or labels", async () => {
  using api = new Harness();
  await api.post(DEPLOYMENTS, workload("d"));
  const generationAfter = async (path: string, patch: object) =>
    (await api.patch(path, patch)).body.metadata.generation;
  assertEquals(await generationAfter(`${DEPLOYMENTS}/d`, { metadata: { labels: { a: "b" } } }), 1);
  assertEquals(await generationAfter(`${DEPLOYMENTS}/d`, { metadata: { annotations: { a: "b" } } }), 2);
  assertEquals(await generationAfter(`${DEPLOYMENTS}/d`, { spec: { replicas: 4 } }), 3);
  assertEquals(await generationAfter(`${DEPLOYMENTS}/d/status`, { status: { replicas: 4 } }), 3);
});

Deno.test("ApiServer stores status through /status alone, and nothing else through it", async () => {
  using api = new Harness();
  await api.post(DEPLOYMENTS, workload("d", { replicas: 2 }));
  const main = await api.patch(`${DEPLOYMENTS}/d`, { spec: { replicas: 3 }, status: { replicas: 9 } });
  assertEquals([main.body.spec.replicas, main.body.status], [3, {}]);
  const status = await api.patch(`${DEPLOYMENTS}/d/status`, {
    metadata: { labels: { no: "way" }, annotations: { revision: "1" } },
    spec: { replicas: 7 },
    status: { replicas: 3, readyReplicas: 0, terminatingReplicas: 0 },
  });
  assertEquals(status.body.spec.replicas, 3);
  assertEquals(status.body.metadata.labels, undefined);
  assertEquals(status.body.metadata.annotations, { revision: "1" });
  // A plain counter of zero is not written, a pointer to zero is.
  assertEquals(status.body.status, { replicas: 3, terminatingReplicas: 0 });
});

Deno.test("ApiServer serves and changes replicas through /scale", async () => {
  using api = new Harness();
  const { body } = await api.post(DEPLOYMENTS, workload("d", { replicas: 2 }));
  const scale = await api.get(`${DEPLOYMENTS}/d/scale`);
  assertEquals(scale.body.spec, { replicas: 2 });
  assertEquals(scale.body.status, { replicas: 0, selector: "app=a" });
  assertEquals(scale.body.metadata.uid, body.metadata.uid);
  await api.put(`${DEPLOYMENTS}/d/scale`, { ...scale.body, spec: { replicas: 5 } });
  const scaled = await api.get(`${DEPLOYMENTS}/d`);
  assertEquals([scaled.body.spec.replicas, scaled.body.metadata.generation], [5, 2]);
  assertEquals((await api.put(`${DEPLOYMENTS}/d/scale`, scale.body)).status, 409);
});

Deno.test("ApiServer does everything but store in a dry run", async () => {
  using api = new Harness();
  const services = "/api/v1/namespaces/default/services";
  const revision = api.server.revision;
  const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
  const dry = await api.post(`${services}?dryRun=All`, service("dry"));
  assertEquals(dry.status, 201);
  assert(dry.body.metadata.uid);
  assertEquals(api.server.revision, revision);
  assertEquals((await api.get(`${services}/dry`)).status, 404);
  assertEquals((await api.post(services, service("wet"))).body.spec.clusterIP, dry.body.spec.clusterIP);
  assertEquals((await api.post(`${services}?dryRun=Some`, service("x"))).status, 422);
});

Deno.test("ApiServer refuses what is not JSON, of another kind, or does not fit the type", async () => {
  using api = new Harness();
  const create = async (body: unknown) => (await api.post(CONFIG_MAPS, body)).status;
  assertEquals(await create("{"), 400);
  assertEquals(await create("[]"), 400);
  assertEquals(await create({ kind: "Secret", metadata: { name: "a" } }), 400);
  assertEquals(await create({ apiVersion: "v2", metadata: { name: "a" } }), 400);
  assertEquals(await create({ metadata: { name: "a" }, data: { x: 1 } }), 400);
  assertEquals(
    (await api.send("POST", CONFIG_MAPS, "x", { contentType: "application/vnd.kubernetes.cbor" })).status,
    415,
  );
  assertEquals((await api.get(`${CONFIG_MAPS}/a`, { accept: "application/xml" })).status, 406);
});

Deno.test("ApiServer drops unknown fields, and warns or refuses as fieldValidation says", async () => {
  using api = new Harness();
  const create = (validation: string) => {
    const body = { metadata: { name: `a-${validation.toLowerCase()}` }, data: {}, foo: { bar: 1 } };
    return api.post(`${CONFIG_MAPS}?fieldValidation=${validation}`, body);
  };
  const warned = await create("Warn");
  assertEquals([warned.status, warned.body.foo], [201, undefined]);
  assertEquals(warned.headers.get("warning"), '299 - "unknown field \\"foo\\""');
  assertEquals((await create("Ignore")).headers.get("warning"), null);
  const strict = await create("Strict");
  assertEquals(strict.status, 400);
  assertStringIncludes(strict.body.message, 'strict decoding error: unknown field "foo"');
});

Deno.test("ApiServer refuses paths and methods that nothing serves", async () => {
  using api = new Harness();
  const status = async (method: string, path: string) => (await api.send(method, path)).status;
  assertEquals(await status("GET", "/foo"), 404);
  assertEquals(await status("GET", "/apis/no.such/v1/things"), 404);
  assertEquals(await status("GET", "/api/v1/namespaces/default/nosuch"), 404);
  assertEquals(await status("GET", `${PODS}/p/nosuch`), 404);
  assertEquals(await status("POST", "/api/v1/pods"), 405);
  assertEquals(await status("DELETE", "/api/v1/namespaces"), 405);
  assertEquals(await status("PUT", PODS), 405);
});

Deno.test("ApiServer writes YAML where that is asked for, and reads it", async () => {
  using api = new Harness();
  const yaml = 'metadata:\n  name: text\ndata:\n  when: "2026-01-01"\n';
  assertEquals((await api.send("POST", CONFIG_MAPS, yaml, { contentType: "application/yaml" })).status, 201);
  const { body, headers } = await api.get(`${CONFIG_MAPS}/text`, { accept: "application/yaml" });
  assertEquals(headers.get("content-type"), "application/yaml");
  assertStringIncludes(body, "kind: ConfigMap\n");
});
