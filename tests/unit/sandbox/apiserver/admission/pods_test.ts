import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Toleration } from "../../../../../src/api/mod.ts";
import { container, CORE, podOf, readyHarness } from "./fixtures.ts";
import { Harness, type Loose, pod, PODS } from "../harness.ts";
import { mergeTolerations } from "../../../../../src/sandbox/apiserver/admission/tolerations.ts";

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

Deno.test("ServiceAccount mounts a token into every container that has nothing there", async () => {
  using api = await readyHarness();
  const { body } = await api.post(
    PODS,
    pod("p", {
      initContainers: [container({}, "i")],
      containers: [container(), { ...container({}, "own"), volumeMounts: [{ name: "own", mountPath: TOKEN_PATH }] }],
      volumes: [{ name: "own", emptyDir: {} }],
    }),
  );
  const { spec } = body;
  assertEquals(spec.serviceAccountName, "default");
  assertEquals(spec.volumes.length, 2);
  assertMatch(spec.volumes[1].name, /^kube-api-access-[a-z0-9]{5}$/);
  const mount = { name: spec.volumes[1].name, readOnly: true, mountPath: TOKEN_PATH };
  assertEquals(spec.initContainers[0].volumeMounts, [mount]);
  assertEquals(spec.containers.map((each: Loose) => each.volumeMounts), [[mount], [{
    name: "own",
    mountPath: TOKEN_PATH,
  }]]);
});

Deno.test("ServiceAccount uses a token volume that the pod brings", async () => {
  using api = await readyHarness();
  const { body } = await api.post(PODS, pod("p", { volumes: [{ name: "kube-api-access-mine1", emptyDir: {} }] }));
  assertEquals(body.spec.volumes.length, 1);
  assertEquals(body.spec.containers[0].volumeMounts[0].name, "kube-api-access-mine1");
});

Deno.test("ServiceAccount goes by the pod first, then by the account", async () => {
  using api = await readyHarness();
  const account = {
    metadata: { name: "b" },
    automountServiceAccountToken: false,
    imagePullSecrets: [{ name: "registry" }],
  };
  await api.post(`${CORE}/serviceaccounts`, account);
  const made = async (name: string, spec: Loose) => (await api.post(PODS, pod(name, spec))).body.spec;
  const plain = await made("a", { serviceAccountName: "b" });
  assertEquals(plain.volumes, undefined);
  assertEquals(plain.imagePullSecrets, [{ name: "registry" }]);
  const own = await made("c", {
    serviceAccountName: "b",
    automountServiceAccountToken: true,
    imagePullSecrets: [{ name: "own" }],
  });
  assertEquals(own.volumes.length, 1);
  assertEquals(own.imagePullSecrets, [{ name: "own" }]);
});

Deno.test("ServiceAccount waits a while for the default account, and not in a namespace that ends", async () => {
  using api = new Harness();
  const early = api.post(PODS, pod("a"));
  await api.world.clock.advance(150);
  await api.account("default");
  await api.world.clock.advance(1000);
  assertEquals((await early).status, 201);
  await api.post("/api/v1/namespaces", { metadata: { name: "ending" } });
  await api.delete("/api/v1/namespaces/ending");
  const { body } = await api.post("/api/v1/namespaces/ending/pods", pod("b"));
  assertEquals(body.details.causes[0].reason, "NamespaceTerminating");
});

Deno.test("ServiceAccount refuses a pod whose account never comes", async () => {
  using api = new Harness();
  const refused = api.post(PODS, pod("a"));
  for (let i = 0; i < 10; i++) await api.world.clock.advance(250);
  assertEquals(
    (await refused).body.message,
    'pods "a" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
  );
});

Deno.test("ServiceAccount refuses an ephemeral container once the account is gone", async () => {
  using api = await readyHarness();
  await api.post(PODS, pod("a"));
  const add = () =>
    api.patch(`${PODS}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "busybox:1" }] } });
  assertEquals((await add()).status, 200);
  await api.delete(`${CORE}/serviceaccounts/default`);
  assertMatch((await add()).body.message, /error looking up service account default\/default/);
});

const MIRRORS: readonly (readonly [what: string, spec: Loose, why?: string])[] = [
  ["nothing", {}],
  ["an account", { serviceAccountName: "default" }, "a mirror pod may not reference service accounts"],
  ["a pull secret", { imagePullSecrets: [{ name: "x" }] }, "a mirror pod may not reference secrets"],
  [
    "a secret volume",
    { volumes: [{ name: "v", secret: { secretName: "x" } }] },
    "a mirror pod may not reference secrets",
  ],
  [
    "a projected secret",
    { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "x" } }] } }] },
    "a mirror pod may not reference secrets",
  ],
  [
    "a secret in its environment",
    { initContainers: [{ ...container({}, "i"), envFrom: [{ secretRef: { name: "x" } }] }] },
    "a mirror pod may not reference secrets",
  ],
  [
    "a token",
    { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    "a mirror pod may not use ServiceAccountToken volume projections",
  ],
];

for (const [what, spec, why] of MIRRORS) {
  Deno.test(`ServiceAccount lets a mirror pod have ${what}: ${why ?? "yes"}`, async () => {
    using api = await readyHarness();
    const { metadata, spec: plain } = pod("m", { nodeName: "n", ...spec });
    metadata.annotations = { "kubernetes.io/config.mirror": "x" };
    const { status, body } = await api.post(PODS, { metadata, spec: plain });
    assertEquals(status, why ? 403 : 201);
    if (why) assertEquals(body.message, `pods "m" is forbidden: ${why}`);
    else assertEquals(body.spec.volumes, undefined);
  });
}

const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
const PRIORITIES: readonly (readonly [spec: Loose, outcome: string | number])[] = [
  [{}, 0],
  [{ priorityClassName: "high" }, 1000],
  [{ priorityClassName: "high", priority: 1000 }, 1000],
  [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
  [
    { priority: 7 },
    "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the " +
    "given PriorityClass name",
  ],
  [
    { priorityClassName: "high", preemptionPolicy: "PreemptLowerPriority" },
    "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission " +
    "controller computed Never from the given PriorityClass name",
  ],
];

for (const [spec, outcome] of PRIORITIES) {
  Deno.test(`Priority of a pod with ${JSON.stringify(spec)} is ${outcome}`, async () => {
    using api = await readyHarness();
    await api.post(CLASSES, { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" });
    const { body } = await api.post(PODS, pod("p", spec));
    if (typeof outcome === "string") assertEquals(body.message, `pods "p" is forbidden: ${outcome}`);
    else assertEquals(body.spec.priority, outcome);
  });
}

Deno.test("Priority lets one class be the default, which is then every pod's", async () => {
  using api = await readyHarness();
  await api.post(CLASSES, { metadata: { name: "a" }, value: 5, globalDefault: true });
  const why = "PriorityClass a is already marked as default. Only one default can exist";
  const { body } = await api.post(CLASSES, { metadata: { name: "b" }, value: 1, globalDefault: true });
  assertEquals(body.message, `priorityclasses.scheduling.k8s.io "b" is forbidden: ${why}`);
  await api.post(CLASSES, { metadata: { name: "b" }, value: 1 });
  assertEquals((await api.patch(`${CLASSES}/b`, { globalDefault: true })).status, 403);
  assertEquals((await api.patch(`${CLASSES}/a`, { description: "still" })).status, 200);
  const { spec } = (await api.post(PODS, pod("p"))).body;
  assertEquals([spec.priorityClassName, spec.priority], ["a", 5]);
  await api.delete(`${CLASSES}/a`);
  assertEquals((await api.post(PODS, pod("q"))).body.spec.priority, 0);
});

Deno.test("Priority keeps what a pod has when an update leaves it out", async () => {
  using api = await readyHarness();
  const { body } = await api.post(PODS, pod("p"));
  delete body.spec.priority;
  delete body.spec.preemptionPolicy;
  const updated = await api.put(`${PODS}/p`, body);
  assertEquals(updated.status, 200);
  assertEquals([updated.body.spec.priority, updated.body.spec.preemptionPolicy], [0, "PreemptLowerPriority"]);
});

const exists = (key: string, more: Loose = {}) => ({ key, operator: "Exists", ...more });
const MERGES: readonly (readonly [first: Toleration[], second: Toleration[], merged: Toleration[]])[] = [
  [[exists("a")], [exists("b")], [exists("a"), exists("b")]],
  [[exists("a")], [exists("a")], [exists("a")]],
  [[exists("a", { effect: "NoSchedule" })], [exists("a")], [exists("a")]],
  [[{ operator: "Exists" }], [exists("a")], [{ operator: "Exists" }]],
  [[{ key: "a", operator: "Equal", value: "1" }], [exists("a")], [exists("a")]],
  [
    [exists("a", { effect: "NoExecute", tolerationSeconds: 5 })],
    [exists("a", { effect: "NoExecute", tolerationSeconds: 9 })],
    [exists("a", { effect: "NoExecute", tolerationSeconds: 9 })],
  ],
  [
    [{ key: "a", operator: "Equal", value: "1" }],
    [{ key: "a", operator: "Equal", value: "2" }],
    [{ key: "a", operator: "Equal", value: "1" }, { key: "a", operator: "Equal", value: "2" }],
  ],
];

for (const [first, second, merged] of MERGES) {
  Deno.test(`mergeTolerations of ${JSON.stringify(first)} and ${JSON.stringify(second)}`, () => {
    assertEquals(mergeTolerations(first, second), merged);
  });
}

Deno.test("DefaultTolerationSeconds adds what a pod does not tolerate, on updates too", async () => {
  using api = await readyHarness();
  const own = exists("node.kubernetes.io/not-ready", { effect: "NoExecute" });
  const added = exists("node.kubernetes.io/unreachable", { effect: "NoExecute", tolerationSeconds: 300 });
  assertEquals((await api.post(PODS, pod("a", { tolerations: [own] }))).body.spec.tolerations, [own, added]);
  const { body } = await api.get(`${PODS}/a`);
  body.spec.tolerations = [own, exists("mine")];
  const updated = await api.put(`${PODS}/a`, body);
  assertEquals(updated.body.spec?.tolerations, [own, exists("mine"), added]);
  const all = { operator: "Exists" };
  assertEquals((await api.post(PODS, pod("b", { tolerations: [all] }))).body.spec.tolerations, [all]);
});

const RUNTIME_CLASSES = "/apis/node.k8s.io/v1/runtimeclasses";
const OVERHEADS: readonly (readonly [spec: Loose, why?: string])[] = [
  [{ runtimeClassName: "vm" }],
  [{ runtimeClassName: "vm", overhead: { cpu: "0.1" } }],
  [{ runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
  [
    { runtimeClassName: "vm", overhead: { cpu: "1" } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    { overhead: { cpu: "1" } },
    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
  [
    { runtimeClassName: "vm", nodeSelector: { vm: "no" } },
    "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no",
  ],
];

for (const [spec, why] of OVERHEADS) {
  Deno.test(`RuntimeClass takes a pod with ${JSON.stringify(spec)}: ${why ?? "yes"}`, async () => {
    using api = await readyHarness();
    await api.post(RUNTIME_CLASSES, {
      metadata: { name: "vm" },
      handler: "vm",
      overhead: { podFixed: { cpu: "100m" } },
      scheduling: { nodeSelector: { vm: "yes" }, tolerations: [exists("vm")] },
    });
    const { status, body } = await api.post(PODS, pod("p", spec));
    assertEquals(status, why ? 403 : 201);
    if (why) return assertEquals(body.message, `pods "p" is forbidden: ${why}`);
    assertEquals(body.spec.overhead, { cpu: "100m" });
    assertEquals(body.spec.nodeSelector, { vm: "yes" });
    assert(body.spec.tolerations.some(({ key }: Toleration) => key === "vm"));
  });
}

Deno.test("PodTopologyLabels tells a pod that names its node where that is", async () => {
  using api = await readyHarness();
  await api.post("/api/v1/nodes", {
    metadata: { name: "n", labels: { "topology.kubernetes.io/zone": "z", other: "x" } },
  });
  const { metadata } = (await api.post(PODS, podOf("p", container()))).body;
  assertEquals(metadata.labels, undefined);
  const placed = (await api.post(PODS, pod("q", { nodeName: "n" }))).body.metadata;
  assertEquals(placed.labels, { "topology.kubernetes.io/zone": "z" });
  assertEquals((await api.post(PODS, pod("r", { nodeName: "gone" }))).body.metadata.labels, undefined);
});
