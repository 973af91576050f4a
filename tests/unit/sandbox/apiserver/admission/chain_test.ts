import { assertEquals } from "@std/assert";
import { claim, CLAIMS, container, podOf, readyHarness } from "./fixtures.ts";
import { type Loose, pod, PODS } from "../harness.ts";
import { CHAIN } from "../../../../../src/sandbox/apiserver/admission/chain.ts";
import { standardStorageClass } from "../../../../../src/sandbox/apiserver/admission/standard_storage_class.ts";

const STORAGE = "/apis/storage.k8s.io/v1/storageclasses";

Deno.test("CHAIN has upstream's order, and behind it what is no plugin upstream", () => {
  const order = [...new Set(CHAIN.map(({ plugin }) => plugin))];
  assertEquals(order, [
    "NamespaceLifecycle",
    "LimitRanger",
    "ServiceAccount",
    "TaintNodesByCondition",
    "PodSecurity",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "PodTopologyLabels",
    "PodGroupWorkloadExists",
    "PodResizeValidator",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
    "RoleEscalation",
  ]);
});

Deno.test("NamespaceLifecycle lets nothing into a namespace that is missing or ends", async () => {
  using api = await readyHarness();
  const missing = await api.post("/api/v1/namespaces/none/configmaps", { metadata: { name: "a" } });
  assertEquals([missing.status, missing.body.message], [404, 'namespaces "none" not found']);
  await api.namespace("ending");
  await api.post("/api/v1/namespaces/ending/pods", pod("a"));
  await api.delete("/api/v1/namespaces/ending");
  const why = "unable to create new content in namespace ending because it is being terminated";
  const cause = {
    reason: "NamespaceTerminating",
    message: "namespace ending is being terminated",
    field: "metadata.namespace",
  };
  const refused: readonly (readonly [path: string, body: Loose, subject: string])[] = [
    ["configmaps", { metadata: { name: "a" } }, 'configmaps "a"'],
    ["configmaps", { metadata: { generateName: "a-" } }, 'configmaps "a-"'],
    ["pods/a/binding", { metadata: { name: "a" }, target: { name: "n" } }, 'pods "a"'],
    ["pods/a/eviction", { metadata: { name: "a" } }, 'pods "a"'],
    ["serviceaccounts/default/token", { spec: {} }, 'serviceaccounts "default"'],
  ];
  for (const [path, body, subject] of refused) {
    const answer = await api.post(`/api/v1/namespaces/ending/${path}`, body);
    assertEquals([answer.status, answer.body.message], [403, `${subject} is forbidden: ${why}`]);
    assertEquals(answer.body.details.causes, [cause]);
  }
  const updated = await api.patch("/api/v1/namespaces/ending/pods/a", { metadata: { labels: { a: "b" } } });
  assertEquals(updated.status, 200);
});

for (const name of ["default", "kube-system", "kube-public"]) {
  Deno.test(`NamespaceLifecycle keeps the namespace ${name}`, async () => {
    using api = await readyHarness();
    const { status, body } = await api.delete(`/api/v1/namespaces/${name}?dryRun=All`);
    assertEquals([status, body.message], [403, `namespaces "${name}" is forbidden: this namespace may not be deleted`]);
  });
}

Deno.test("TaintNodesByCondition taints a new node once", async () => {
  using api = await readyHarness();
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const made = async (name: string, spec: Loose) =>
    (await api.post("/api/v1/nodes", { metadata: { name }, spec })).body.spec.taints;
  assertEquals(await made("a", {}), [taint]);
  assertEquals(await made("b", { taints: [{ ...taint, value: "mine" }] }), [{ ...taint, value: "mine" }]);
  const other = { key: "own", effect: "NoExecute" };
  assertEquals(await made("c", { taints: [other] }), [other, taint]);
});

Deno.test("DefaultStorageClass gives the newest default to a claim that names none", async () => {
  using api = await readyHarness();
  await api.delete(`${STORAGE}/standard`);
  const annotated = (name: string, annotation: string) => ({
    metadata: { name, annotations: { [annotation]: "true" } },
    provisioner: "a/b",
  });
  const made = async (name: string, spec: Loose = {}) =>
    (await api.post(CLAIMS, claim(name, "1Gi", spec))).body.spec.storageClassName;
  assertEquals(await made("a"), undefined);
  await api.post(STORAGE, annotated("y", "storageclass.beta.kubernetes.io/is-default-class"));
  await api.post(STORAGE, annotated("x", "storageclass.kubernetes.io/is-default-class"));
  assertEquals(await made("b"), "x");
  await api.world.clock.advance(2000);
  await api.post(STORAGE, annotated("z", "storageclass.kubernetes.io/is-default-class"));
  assertEquals(await made("c"), "z");
  assertEquals(await made("d", { storageClassName: "" }), "");
  assertEquals(await made("e", { storageClassName: "other" }), "other");
});

Deno.test("DefaultIngressClass gives the default to an ingress that names none", async () => {
  using api = await readyHarness();
  await api.post("/apis/networking.k8s.io/v1/ingressclasses", {
    metadata: { name: "web", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
    spec: { controller: "a/b" },
  });
  const made = async (name: string, spec: Loose, annotations: Loose = {}) => {
    const defaultBackend = { service: { name: "s", port: { number: 80 } } };
    const body = { metadata: { name, annotations }, spec: { defaultBackend, ...spec } };
    return (await api.post("/apis/networking.k8s.io/v1/namespaces/default/ingresses", body)).body.spec.ingressClassName;
  };
  assertEquals(await made("a", {}), "web");
  assertEquals(await made("b", { ingressClassName: "own" }), "own");
  assertEquals(await made("c", {}, { "kubernetes.io/ingress.class": "older" }), undefined);
});

Deno.test("PersistentVolumeClaimResize lets a bound claim grow where its class does", async () => {
  using api = await readyHarness();
  await api.post(STORAGE, { metadata: { name: "grows" }, provisioner: "a/b", allowVolumeExpansion: true });
  await api.post(STORAGE, { metadata: { name: "stays" }, provisioner: "a/b" });
  const why =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  for (const [name, refusal] of [["grows", undefined], ["stays", why], ["gone", why]] as const) {
    await api.post(CLAIMS, claim(name, "1Gi", { storageClassName: name }));
    await api.patch(`${CLAIMS}/${name}/status`, { status: { phase: "Bound" } });
    const { body } = await api.patch(`${CLAIMS}/${name}`, { spec: { resources: { requests: { storage: "2Gi" } } } });
    assertEquals(body.message, refusal && `persistentvolumeclaims "${name}" is forbidden: ${refusal}`);
  }
});

Deno.test("PodResizeValidator keeps a resize within what the node can hold", async () => {
  using api = await readyHarness();
  const amounts = { cpu: "2", memory: "1Gi" };
  await api.post("/api/v1/nodes", { metadata: { name: "n" }, status: { capacity: amounts, allocatable: amounts } });
  await api.post("/api/v1/nodes", { metadata: { name: "w", labels: { "kubernetes.io/os": "windows" } } });
  const sized = (cpu: string, memory: string) => container({ requests: { cpu, memory } });
  for (const nodeName of ["n", "w", "gone"]) {
    const made = podOf(nodeName, sized("1", "1Mi"));
    await api.post(PODS, { ...made, spec: { ...made.spec, nodeName } });
  }
  const resize = async (name: string, cpu: string, memory = "1Mi") => {
    const { body } = await api.patch(`${PODS}/${name}/resize`, { spec: { containers: [sized(cpu, memory)] } });
    return body.message ? [body.message, body.details.causes] : "resized";
  };
  const lacks = (what: string) => `pods "n" is forbidden: node didn't have enough allocatable resources: ${what}`;
  const capacity = [{ reason: "NodeCapacity" }];
  assertEquals(await resize("n", "3"), [lacks("cpu, requested: 3000, allocatable: 2000"), capacity]);
  assertEquals(await resize("n", "3", "2Gi"), [
    lacks("cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824"),
    capacity,
  ]);
  assertEquals(await resize("n", "2"), "resized");
  assertEquals(await resize("w", "2"), [
    'pods "w" is forbidden: pod resize is only supported on linux nodes, node "w" is "windows"',
    [{ reason: "UnsupportedPlatform" }],
  ]);
  assertEquals(await resize("gone", "2"), ['pods "gone" is forbidden: node "gone" not found', undefined]);
});

Deno.test("standardStorageClass is a default class that can be created", async () => {
  using api = await readyHarness();
  await api.delete(`${STORAGE}/standard`);
  assertEquals((await api.post(STORAGE, standardStorageClass())).status, 201);
  assertEquals((await api.post(CLAIMS, claim("a", "1Gi"))).body.spec.storageClassName, "standard");
});

Deno.test("A refusal names an object that has no name yet by what generates it, or Unknown", async () => {
  using api = await readyHarness();
  const { body } = await api.post(PODS, {
    ...pod(""),
    metadata: {},
    spec: { containers: [], priorityClassName: "none" },
  });
  assertEquals(body.message, 'pods "Unknown" is forbidden: no PriorityClass with name none was found');
});
