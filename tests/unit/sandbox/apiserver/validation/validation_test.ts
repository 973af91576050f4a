import { assertEquals, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, DEPLOYMENTS, Harness, type Loose, pod, PODS, STRATEGIC, template, workload } from "../harness.ts";

const causes = (body: Loose) => body.details.causes.map(({ field, message }: Loose) => `${field}: ${message}`);

Deno.test("ApiServer answers an invalid object with every cause", async () => {
  using api = new Harness();
  const spec = { replicas: -1, selector: { matchLabels: { app: "b" } } };
  const { status, body } = await api.post(DEPLOYMENTS, workload("d", spec));
  assertEquals([status, body.reason, body.details.kind, body.details.group], [422, "Invalid", "Deployment", "apps"]);
  const expected = [
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
  ];
  assertEquals(causes(body), expected);
  assertEquals(body.message, `Deployment.apps "d" is invalid: [${expected.join(", ")}]`);
});

const BAD_SPECS: ReadonlyArray<readonly [what: string, spec: object, cause: string]> = [
  ["no selector", { selector: undefined }, "spec.selector: Required value"],
  ["an empty selector", { selector: {} }, "spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
  [
    "no containers",
    { template: { metadata: { labels: { app: "a" } } } },
    "spec.template.spec.containers: Required value",
  ],
  ["no image", { template: template("") }, "spec.template.spec.containers[0].image: Required value"],
  [
    "a restart policy that ends",
    { template: { ...template(), spec: { ...template().spec, restartPolicy: "Never" } } },
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    "no room to roll",
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
  ],
];

for (const [what, spec, cause] of BAD_SPECS) {
  Deno.test(`ApiServer refuses a Deployment with ${what}`, async () => {
    using api = new Harness();
    const { status, body } = await api.post(DEPLOYMENTS, workload("d", spec));
    assertEquals(status, 422);
    assertEquals(causes(body).includes(cause), true, causes(body).join("\n"));
  });
}

Deno.test("ApiServer keeps the selector of workloads as it is", async () => {
  using api = new Harness();
  await api.post(DEPLOYMENTS, workload("d"));
  const spec = { selector: { matchLabels: { app: "b" } }, template: { metadata: { labels: { app: "b" } } } };
  const { status, body } = await api.patch(`${DEPLOYMENTS}/d`, { spec });
  assertEquals(status, 422);
  assertEquals(causes(body), ['spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable']);
});

Deno.test("ApiServer keeps a StatefulSet's serviceName as it is", async () => {
  using api = new Harness();
  const sets = "/apis/apps/v1/namespaces/default/statefulsets";
  await api.post(sets, workload("s", { serviceName: "a" }));
  const { status, body } = await api.patch(`${sets}/s`, { spec: { serviceName: "b" } });
  assertEquals(status, 422);
  assertStringIncludes(body.message, "spec: Forbidden: updates to statefulset spec for fields other than 'replicas'");
  assertEquals((await api.patch(`${sets}/s`, { spec: { replicas: 3 } })).status, 200);
});

Deno.test("ApiServer lets few fields of a pod change", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, pod("p"));
  const status = async (spec: object) => (await api.patch(`${PODS}/p`, { spec }, STRATEGIC)).status;
  assertEquals(await status({ containers: [{ name: "c", image: "nginx:2" }] }), 200);
  assertEquals(await status({ activeDeadlineSeconds: 10 }), 200);
  assertEquals(await status({ activeDeadlineSeconds: 20 }), 422);
  assertEquals(await status({ nodeName: "n1" }), 422);
  assertEquals(await status({ containers: [{ name: "d", image: "x" }] }), 422);
});

Deno.test("ApiServer takes the root alone, and names with a dot at the end, for domains that a pod searches", async () => {
  using api = new Harness();
  await api.account("default");
  const searching = (search: string) => api.post(PODS, pod("p", { dnsConfig: { searches: [search] } }));
  for (const search of ["..", "a..", "a..b", ".a", ""]) {
    const { status, body } = await searching(search);
    assertEquals([status, body.details?.causes[0].field], [422, "spec.dnsConfig.searches[0]"], search);
  }
  for (const search of [".", "a.", "_srv.a.b"]) {
    assertEquals((await searching(search)).status, 201, search);
    await api.delete(`${PODS}/p?gracePeriodSeconds=0`);
  }
});

Deno.test("ApiServer refuses malformed metadata", async () => {
  using api = new Harness();
  const refusal = async (metadata: object) => {
    const { status, body } = await api.post(CONFIG_MAPS, { metadata: { name: "a", ...metadata } });
    return status === 422 ? body.details.causes[0].field : status;
  };
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "1", controller: true };
  assertEquals(await refusal({ name: "No_Way" }), "metadata.name");
  assertEquals(await refusal({ labels: { "a b": "c" } }), "metadata.labels");
  assertEquals(await refusal({ annotations: { "a/b/c": "d" } }), "metadata.annotations");
  assertEquals(await refusal({ finalizers: ["plain"] }), "metadata.finalizers[0]");
  assertEquals(await refusal({ finalizers: ["orphan", "foregroundDeletion"] }), "metadata.finalizers");
  assertEquals(await refusal({ ownerReferences: [{ ...owner, uid: "" }] }), "metadata.ownerReferences.uid");
  assertEquals(await refusal({ ownerReferences: [owner, { ...owner, uid: "2" }] }), "metadata.ownerReferences");
});

Deno.test("ApiServer drops exact duplicates of owner references with a warning", async () => {
  using api = new Harness();
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "1" };
  const { body, headers } = await api.post(CONFIG_MAPS, { metadata: { name: "a", ownerReferences: [owner, owner] } });
  assertEquals(body.metadata.ownerReferences, [owner]);
  assertStringIncludes(headers.get("warning") ?? "", "duplicate entries");
});

Deno.test("ApiServer keeps immutable ConfigMaps and ControllerRevisions", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "1" }, immutable: true });
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { data: { x: "2" } })).status, 422);
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { metadata: { labels: { a: "b" } } })).status, 200);
  const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
  await api.post(revisions, { metadata: { name: "r" }, data: { spec: { a: null } }, revision: 1 });
  assertEquals((await api.patch(`${revisions}/r`, { revision: 2 })).status, 200);
  assertEquals((await api.patch(`${revisions}/r`, { data: { spec: { a: 1 } } })).status, 422);
});

Deno.test("ApiServer refuses a status whose counters contradict", async () => {
  using api = new Harness();
  const sets = "/apis/apps/v1/namespaces/default/replicasets";
  await api.post(sets, workload("r"));
  const { status, body } = await api.patch(`${sets}/r/status`, { status: { replicas: 1, readyReplicas: 2 } });
  assertEquals([status, body.details.causes[0].field], [422, "status.readyReplicas"]);
});

Deno.test("ApiServer takes names that every object inherits for names like others", async () => {
  using api = new Harness();
  const data = await api.post(CONFIG_MAPS, {
    metadata: { name: "a" },
    data: { constructor: "x" },
    binaryData: { b: "" },
  });
  assertEquals(data.status, 201);
  const secret = { metadata: { name: "a" }, type: "constructor", data: { toString: "" } };
  assertEquals((await api.post("/api/v1/namespaces/default/secrets", secret)).status, 201);
  const chosen = { ...template(), spec: { ...template().spec, nodeSelector: { constructor: "x" } } };
  const created = await api.post(DEPLOYMENTS, workload("d", { template: chosen }));
  assertEquals([created.status, created.headers.get("warning")], [201, null]);
});
