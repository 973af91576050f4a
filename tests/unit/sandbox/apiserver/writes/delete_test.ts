import { assertEquals, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, DEPLOYMENTS, Harness, JOBS, type Loose, pod, PODS, template, workload } from "../harness.ts";

async function scheduledPod(api: Harness, spec: object = {}): Promise<Loose> {
  await api.account("default");
  await api.post(PODS, pod("p", spec));
  const binding = await api.post(`${PODS}/p/binding`, { metadata: { name: "p" }, target: { name: "n1" } });
  assertEquals(binding.status, 201);
  return (await api.get(`${PODS}/p`)).body;
}

Deno.test("ApiServer marks a Deployment deleted in the foreground", async () => {
  using api = new Harness();
  await api.post(DEPLOYMENTS, workload("d"));
  const watch = await api.watch(DEPLOYMENTS, `&resourceVersion=${api.server.revision}`);
  const { status, body } = await api.delete(`${DEPLOYMENTS}/d`, { propagationPolicy: "Foreground" });
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation } = body.metadata;
  assertEquals(
    [status, deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation],
    [200, "2026-01-01T00:00:00Z", 0, ["foregroundDeletion"], 2],
  );
  const event = await watch.next();
  assertEquals([event.type, event.object.metadata.finalizers], ["MODIFIED", ["foregroundDeletion"]]);
  await watch.cancel();
});

Deno.test("ApiServer removes a terminating object with its last finalizer, at a new revision", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a", finalizers: ["x.y/z"] } });
  await api.delete(`${CONFIG_MAPS}/a`);
  const watch = await api.watch(CONFIG_MAPS, `&resourceVersion=${api.server.revision}`);
  const patched = await api.patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers: null } });
  assertEquals(patched.status, 200);
  const { type, object } = await watch.next();
  assertEquals([type, object.metadata.resourceVersion], ["DELETED", String(api.server.revision)]);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 404);
  await watch.cancel();
});

Deno.test("ApiServer lets a terminating object gain no finalizers", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a", finalizers: ["x.y/z"] } });
  await api.delete(`${CONFIG_MAPS}/a`);
  const { status, body } = await api.patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers: ["x.y/z", "x.y/new"] } });
  assertEquals(status, 422);
  assertStringIncludes(body.message, "gets no new ones: x.y/new");
});

Deno.test("ApiServer keeps a scheduled pod for its grace period until a DELETE without grace", async () => {
  using api = new Harness();
  const { metadata: { uid } } = await scheduledPod(api);
  const first = await api.delete(`${PODS}/p`);
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = first.body.metadata;
  assertEquals([deletionTimestamp, deletionGracePeriodSeconds, generation], ["2026-01-01T00:00:30Z", 30, 2]);
  const revision = api.server.revision;
  await api.delete(`${PODS}/p`, { gracePeriodSeconds: 60 });
  assertEquals(api.server.revision, revision, "a longer grace period changes nothing");
  const shorter = await api.delete(`${PODS}/p`, { gracePeriodSeconds: 10 });
  assertEquals(shorter.body.metadata.deletionTimestamp, "2026-01-01T00:00:10Z");
  const wrong = await api.delete(`${PODS}/p`, { gracePeriodSeconds: 0, preconditions: { uid: "other" } });
  assertEquals([wrong.status, wrong.body.reason], [409, "Conflict"]);
  assertEquals((await api.delete(`${PODS}/p`, { gracePeriodSeconds: 0, preconditions: { uid } })).status, 200);
  assertEquals((await api.get(`${PODS}/p`)).status, 404);
});

Deno.test("ApiServer removes an unscheduled pod at once, in two steps for watchers", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, pod("p"));
  const watch = await api.watch(PODS, `&resourceVersion=${api.server.revision}`);
  assertEquals((await api.delete(`${PODS}/p`)).status, 200);
  assertEquals(await watch.texts(2), ["MODIFIED p", "DELETED p"]);
  assertEquals((await api.get(`${PODS}/p`)).status, 404);
  await watch.cancel();
});

Deno.test("ApiServer keeps a pod without grace for its finalizers", async () => {
  using api = new Harness();
  await scheduledPod(api);
  await api.patch(`${PODS}/p`, { metadata: { finalizers: ["x.y/z"] } });
  const { body } = await api.delete(`${PODS}/p`, { gracePeriodSeconds: 0 });
  assertEquals([body.metadata.deletionGracePeriodSeconds, body.metadata.finalizers], [0, ["x.y/z"]]);
  await api.patch(`${PODS}/p`, { metadata: { finalizers: null } });
  assertEquals((await api.get(`${PODS}/p`)).status, 404);
});

Deno.test("ApiServer orphans a Job's pods by default, with a warning", async () => {
  using api = new Harness();
  const job = { metadata: { name: "j" }, spec: { template: { spec: { ...template().spec, restartPolicy: "Never" } } } };
  await api.post(JOBS, job);
  const { body, headers } = await api.delete(`${JOBS}/j`);
  assertEquals(body.metadata.finalizers, ["orphan"]);
  assertStringIncludes(headers.get("warning") ?? "", "child pods are preserved by default when jobs are deleted");
  await api.post(JOBS, { ...job, metadata: { name: "k" } });
  const background = await api.delete(`${JOBS}/k`, { propagationPolicy: "Background" });
  assertEquals([background.body.status, background.headers.get("warning")], ["Success", null]);
});

Deno.test("ApiServer keeps a finalizer of propagation unless the request chooses another", async () => {
  using api = new Harness();
  const finalizersAfter = async (finalizers: string[], options: object) => {
    await api.post(CONFIG_MAPS, { metadata: { name: "a", finalizers: [...finalizers, "x.y/z"] } });
    const { body } = await api.delete(`${CONFIG_MAPS}/a`, options);
    await api.patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers: null } });
    return body.metadata.finalizers;
  };
  assertEquals(await finalizersAfter(["orphan"], {}), ["orphan", "x.y/z"]);
  assertEquals(await finalizersAfter(["orphan"], { propagationPolicy: "Background" }), ["x.y/z"]);
  assertEquals(await finalizersAfter(["orphan"], { propagationPolicy: "Foreground" }), ["x.y/z", "foregroundDeletion"]);
  assertEquals(await finalizersAfter([], { orphanDependents: true }), ["x.y/z", "orphan"]);
});

Deno.test("ApiServer answers a deletion with the object or with a Status that names it", async () => {
  using api = new Harness();
  const { body: { metadata } } = await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const { body } = await api.delete(`${CONFIG_MAPS}/a`);
  assertEquals([body.kind, body.status, body.details], ["Status", "Success", {
    name: "a",
    kind: "configmaps",
    uid: metadata.uid,
  }]);
  await api.account("default");
  assertEquals((await api.delete("/api/v1/namespaces/default/serviceaccounts/default")).body.kind, "ServiceAccount");
});

Deno.test("ApiServer refuses deletions whose preconditions or options do not hold", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const status = async (options: object) => (await api.delete(`${CONFIG_MAPS}/a`, options)).status;
  assertEquals(await status({ preconditions: { resourceVersion: "1" } }), 409);
  assertEquals(await status({ propagationPolicy: "Sideways" }), 422);
  assertEquals(await status({ propagationPolicy: "Orphan", orphanDependents: true }), 422);
  assertEquals(await status({ dryRun: ["All"] }), 200);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 200);
});

Deno.test("ApiServer deletes the part of a collection that is selected", async () => {
  using api = new Harness();
  for (const name of ["a", "b", "c"]) {
    await api.post(CONFIG_MAPS, { metadata: { name, labels: { odd: String(name !== "b") } } });
  }
  const { status, body } = await api.send("DELETE", `${CONFIG_MAPS}?labelSelector=odd%3Dtrue`, {
    propagationPolicy: "Background",
  });
  assertEquals([status, body.kind, body.items.length], [200, "ConfigMapList", 2]);
  const left = await api.get(CONFIG_MAPS);
  assertEquals(left.body.items.map(({ metadata }: Loose) => metadata.name), ["b"]);
});

Deno.test("ApiServer keeps a namespace until its content is finalized", async () => {
  using api = new Harness();
  await api.namespace("n");
  const { body } = await api.delete("/api/v1/namespaces/n");
  assertEquals([body.status.phase, body.spec.finalizers], ["Terminating", ["kubernetes"]]);
  const again = await api.delete("/api/v1/namespaces/n");
  assertEquals(again.body.metadata.resourceVersion, body.metadata.resourceVersion);
  await api.put("/api/v1/namespaces/n/finalize", { ...body, spec: { finalizers: [] } });
  assertEquals((await api.get("/api/v1/namespaces/n")).status, 404);
});

Deno.test("ApiServer takes nothing new into a namespace that ends or is missing", async () => {
  using api = new Harness();
  await api.namespace("n");
  const maps = "/api/v1/namespaces/n/configmaps";
  await api.post(maps, { metadata: { name: "old" } });
  await api.delete("/api/v1/namespaces/n");
  const { status, body } = await api.post(maps, { metadata: { name: "new" } });
  assertEquals([status, body.reason], [403, "Forbidden"]);
  assertEquals(
    body.message,
    'configmaps "new" is forbidden: unable to create new content in namespace n because it is being terminated',
  );
  assertEquals(body.details.causes, [
    { reason: "NamespaceTerminating", message: "namespace n is being terminated", field: "metadata.namespace" },
  ]);
  assertEquals((await api.patch(`${maps}/old`, { data: { still: "works" } })).status, 200);
  const missing = await api.post("/api/v1/namespaces/nope/configmaps", { metadata: { name: "a" } });
  assertEquals([missing.status, missing.body.message], [404, 'namespaces "nope" not found']);
});

Deno.test("ApiServer keeps the namespaces of the system", async () => {
  using api = new Harness();
  const { status, body } = await api.delete("/api/v1/namespaces/kube-system");
  assertEquals([status, body.message], [
    403,
    'namespaces "kube-system" is forbidden: this namespace may not be deleted',
  ]);
});

const OPTIONS: ReadonlyArray<readonly [what: string, options: unknown, code: number, message: string]> = [
  ["no JSON", "{", 400, "the options cannot be read: Expected property name"],
  ["another kind", { kind: "Pod", apiVersion: "v1" }, 400, "their kind must be DeleteOptions, not Pod"],
  ["a grace that is no number", { gracePeriodSeconds: "x" }, 400, "gracePeriodSeconds: must be an integer"],
  ["an unknown policy", { propagationPolicy: "Foo" }, 422, 'propagationPolicy: Unsupported value: "Foo"'],
  ["two policies", { propagationPolicy: "Orphan", orphanDependents: true }, 422, "cannot be both set"],
  ["half a dry run", { dryRun: ["All", "Foo"] }, 422, 'dryRun: Unsupported value: ["All","Foo"]'],
  [
    "another uid",
    { preconditions: { uid: "x" } },
    409,
    "the UID in the precondition (x) does not match the UID in record (",
  ],
  [
    "another version",
    { preconditions: { resourceVersion: "1" } },
    409,
    "the ResourceVersion in the precondition (1) does not match",
  ],
];
for (const [what, options, code, message] of OPTIONS) {
  Deno.test(`ApiServer refuses to delete with ${what}`, async () => {
    using api = new Harness();
    await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
    const { status, body } = await api.delete(`${CONFIG_MAPS}/a`, options);
    assertEquals(status, code);
    assertStringIncludes(body.message, message);
    assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 200);
  });
}

Deno.test("ApiServer reads DeleteOptions of any version, and those in protobuf", async () => {
  using api = new Harness();
  for (const apiVersion of ["v1", "apps/v1", "meta.k8s.io/v1"]) {
    const { status } = await api.delete(`${CONFIG_MAPS}/a`, { kind: "DeleteOptions", apiVersion });
    assertEquals(status, 404);
  }
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const text = (field: number, value: string) => [field << 3 | 2, value.length, ...new TextEncoder().encode(value)];
  const type = [...text(1, "v1"), ...text(2, "DeleteOptions")];
  // Field 5 of DeleteOptions is dryRun.
  const options = text(5, "All");
  const body = new Uint8Array([0x6b, 0x38, 0x73, 0, 0x0a, type.length, ...type, 0x12, options.length, ...options]);
  const headers = {
    "content-type": "application/vnd.kubernetes.protobuf",
    accept: "application/vnd.kubernetes.protobuf,application/json",
  };
  const request = new Request(`http://server${CONFIG_MAPS}/a`, { method: "DELETE", headers, body });
  const response = await api.server.fetch(request);
  assertEquals([response.status, (await response.json()).status], [200, "Success"]);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 200);
});

Deno.test("ApiServer takes a body's options before those of the query", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  assertEquals((await api.delete(`${CONFIG_MAPS}/a?propagationPolicy=Foo`, {})).status, 200);
});

Deno.test("ApiServer takes a negative grace period for one second", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, pod("p", { nodeName: "n" }));
  assertEquals((await api.delete(`${PODS}/p`, { gracePeriodSeconds: -5 })).body.metadata.deletionGracePeriodSeconds, 1);
});

Deno.test("ApiServer takes no unknown finalizer for a namespace", async () => {
  using api = new Harness();
  await api.namespace("n");
  const finalize = (...finalizers: string[]) =>
    api.put("/api/v1/namespaces/n/finalize", { metadata: { name: "n" }, spec: { finalizers } });
  const { status, body } = await finalize("kubernetes", "foo");
  assertEquals([status, body.details.causes[0].field], [422, "spec.finalizers[1]"]);
  assertEquals((await finalize("kubernetes", "foo.bar/x")).status, 200);
});
