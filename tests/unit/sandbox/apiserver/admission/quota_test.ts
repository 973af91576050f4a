import { assertEquals, assertMatch } from "@std/assert";
import { claim, CLAIMS, container, CORE, makeQuota, podOf, QUOTAS, readyHarness, tryPod, usedOf } from "./fixtures.ts";
import { CONFIG_MAPS, type Loose, pod, PODS } from "../harness.ts";

const asking = (name: string, cpu: string) => podOf(name, container({ requests: { cpu } }));

Deno.test("ResourceQuota charges what it lets in and says what was too much", async () => {
  using api = await readyHarness();
  await makeQuota(api, { pods: "2", "requests.cpu": "1" });
  assertEquals(await tryPod(api, asking("a", "600m")), "a");
  assertEquals(await usedOf(api), { pods: "1", "requests.cpu": "600m" });
  assertEquals(
    await tryPod(api, asking("b", "500m")),
    'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
  );
  assertEquals(await tryPod(api, asking("c", "400m")), "c");
  assertEquals(
    await tryPod(api, asking("d", "1")),
    'pods "d" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=1, used: pods=2,requests.cpu=1, ' +
      "limited: pods=2,requests.cpu=1",
  );
  assertEquals(
    await tryPod(api, pod("e")),
    'pods "e" is forbidden: failed quota: q: must specify requests.cpu for: c',
  );
});

Deno.test("ResourceQuota charges nothing for a dry run, nor for what is not stored after all", async () => {
  using api = await readyHarness();
  await makeQuota(api, { pods: "2" });
  assertEquals((await api.post(`${PODS}?dryRun=All`, pod("a"))).status, 201);
  assertEquals(await usedOf(api), { pods: "0" });
  assertEquals(await tryPod(api, pod("a")), "a");
  assertEquals((await api.post(PODS, pod("a"))).status, 409);
  assertEquals((await api.post(PODS, pod("b", { restartPolicy: "Sometimes" }))).status, 422);
  assertEquals(await usedOf(api), { pods: "1" });
});

Deno.test("ResourceQuota leaves it to its controller to count what goes", async () => {
  using api = await readyHarness();
  await makeQuota(api, { pods: "1" });
  await api.post(PODS, pod("a"));
  await api.delete(`${PODS}/a`);
  assertEquals(await usedOf(api), { pods: "1" });
});

Deno.test("ResourceQuota goes by its status: none counts nothing, half of one refuses", async () => {
  using api = await readyHarness();
  await api.post(QUOTAS, { metadata: { name: "q" }, spec: { hard: { pods: "0" } } });
  assertEquals(await tryPod(api, pod("a")), "a");
  await api.patch(`${QUOTAS}/q/status`, { status: { hard: { pods: "5", "count/pods": "5" }, used: { pods: "1" } } });
  assertEquals(
    await tryPod(api, pod("b")),
    'pods "b" is forbidden: status unknown for quota: q, resources: count/pods,pods',
  );
});

Deno.test("ResourceQuota charges a resize by what it adds, and gives nothing back", async () => {
  using api = await readyHarness();
  await makeQuota(api, { "requests.cpu": "2" });
  await api.post(PODS, asking("a", "1"));
  const resize = (cpu: string) =>
    api.patch(`${PODS}/a/resize`, { spec: { containers: [container({ requests: { cpu } })] } });
  assertEquals((await resize("1500m")).status, 200);
  assertEquals(await usedOf(api), { "requests.cpu": "1500m" });
  assertEquals(
    (await resize("2100m")).body.message,
    'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=1500m, ' +
      "limited: requests.cpu=2",
  );
  assertEquals((await resize("1")).status, 200);
  assertEquals(await usedOf(api), { "requests.cpu": "1500m" });
});

Deno.test("ResourceQuota charges a pod that comes to be of its scope, once", async () => {
  using api = await readyHarness();
  await api.post(PODS, pod("a"));
  await api.post(PODS, pod("b"));
  await makeQuota(api, { pods: "1" }, { scopes: ["Terminating"] });
  const end = (name: string, seconds: number) =>
    api.patch(`${PODS}/${name}`, { spec: { activeDeadlineSeconds: seconds } });
  assertEquals((await end("a", 60)).status, 200);
  assertEquals(await usedOf(api), { pods: "1" });
  assertEquals((await end("a", 30)).status, 200);
  assertMatch(
    (await end("b", 60)).body.message,
    /exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1$/,
  );
  assertEquals((await api.patch(`${PODS}/b`, { metadata: { labels: { a: "b" } } })).status, 200);
});

Deno.test("ResourceQuota counts a change of a service's type by what it takes more", async () => {
  using api = await readyHarness();
  await makeQuota(api, { services: "2", "services.nodeports": "1" });
  const ports = [{ port: 80 }];
  await api.post(`${CORE}/services`, { metadata: { name: "a" }, spec: { ports } });
  assertEquals(await usedOf(api), { services: "1", "services.nodeports": "0" });
  await api.patch(`${CORE}/services/a`, { spec: { type: "NodePort" } });
  assertEquals(await usedOf(api), { services: "1", "services.nodeports": "1" });
  const { body } = await api.post(`${CORE}/services`, { metadata: { name: "b" }, spec: { type: "NodePort", ports } });
  assertMatch(body.message, /exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1/);
  assertEquals(await usedOf(api), { services: "1", "services.nodeports": "1" });
});

Deno.test("ResourceQuota counts claims by class, and what the status sets aside without refusing it", async () => {
  using api = await readyHarness();
  const gold = "gold.storageclass.storage.k8s.io/requests.storage";
  await makeQuota(api, { [gold]: "2Gi", "requests.storage": "3Gi" });
  await api.post(CLAIMS, claim("a", "1Gi", { storageClassName: "gold" }));
  assertEquals(await usedOf(api), { [gold]: "1Gi", "requests.storage": "1Gi" });
  const { body } = await api.post(CLAIMS, claim("b", "1.5Gi", { storageClassName: "gold" }));
  assertEquals(
    body.message,
    `persistentvolumeclaims "b" is forbidden: exceeded quota: q, requested: ${gold}=1536Mi, used: ${gold}=1Gi, ` +
      `limited: ${gold}=2Gi`,
  );
  await api.patch(`${CLAIMS}/a/status`, { status: { allocatedResources: { storage: "9Gi" } } });
  assertEquals(await usedOf(api), { [gold]: "9Gi", "requests.storage": "9Gi" });
});

Deno.test("ResourceQuota counts any kind, custom ones too, but no events", async () => {
  using api = await readyHarness();
  await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  await makeQuota(api, { configmaps: "1", "count/widgets.example.com": "1", "count/events": "0" });
  const widgets = "/apis/example.com/v1/namespaces/default/widgets";
  const widget = (name: string): Loose => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name } });
  assertEquals((await api.post(widgets, widget("a"))).status, 201);
  assertEquals(
    (await api.post(widgets, widget("b"))).body.message,
    'widgets.example.com "b" is forbidden: exceeded quota: q, requested: count/widgets.example.com=1, ' +
      "used: count/widgets.example.com=1, limited: count/widgets.example.com=1",
  );
  assertEquals((await api.post(CONFIG_MAPS, { metadata: { name: "a" } })).status, 201);
  assertEquals((await api.post(CONFIG_MAPS, { metadata: { name: "b" } })).status, 403);
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { data: { a: "b" } })).status, 200);
  const event = { metadata: { name: "e" }, involvedObject: { namespace: "default" }, type: "Normal", reason: "R" };
  assertEquals((await api.post(`${CORE}/events`, event)).status, 201);
});

Deno.test("ResourceQuota of one namespace or scope leaves the others alone", async () => {
  using api = await readyHarness();
  await api.namespace("other");
  await makeQuota(api, { pods: "0" }, { scopes: ["Terminating"] });
  assertEquals(await tryPod(api, pod("a")), "a");
  assertEquals((await api.post(PODS, pod("b", { activeDeadlineSeconds: 5 }))).status, 403);
  assertEquals((await api.post("/api/v1/namespaces/other/pods", pod("b", { activeDeadlineSeconds: 5 }))).status, 201);
});

Deno.test("ResourceQuota names a pod by the name that was generated for it", async () => {
  using api = await readyHarness();
  await makeQuota(api, { pods: "0" });
  const { body } = await api.post(PODS, { ...pod(""), metadata: { generateName: "web-" } });
  assertMatch(body.message, /^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota: q, /);
  assertMatch(body.details.name, /^web-[a-z0-9]{5}$/);
});

Deno.test("ResourceQuota is charged in the server's own name", async () => {
  using api = await readyHarness();
  await makeQuota(api, { pods: "1" });
  const before = (await api.get(`${QUOTAS}/q`)).body.metadata.resourceVersion;
  const created = await api.post(PODS, pod("a"));
  const { metadata } = (await api.get(`${QUOTAS}/q`)).body;
  assertEquals(Number(metadata.resourceVersion), Number(before) + 1);
  assertEquals(Number(created.body.metadata.resourceVersion), Number(before) + 2);
});
