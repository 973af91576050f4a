import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Harness, type Loose, pod, PODS, STRATEGIC } from "../harness.ts";
import { CERTIFICATE_REQUEST } from "../../../../cluster/certificate_request.ts";

const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async function runningPod(api: Harness, name = "p"): Promise<void> {
  await api.account("default");
  await api.post(PODS, { ...pod(name), metadata: { name, labels: { app: "a" } } });
  await api.post(`${PODS}/${name}/binding`, { metadata: { name }, target: { name: "n1" } });
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await api.patch(`${PODS}/${name}/status`, { status }, STRATEGIC);
}

async function budget(api: Harness, status: object, name = "b"): Promise<void> {
  await api.post(BUDGETS, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } });
  const counts = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, ...status };
  await api.patch(`${BUDGETS}/${name}/status`, { status: counts });
}

const evict = (api: Harness) => api.post(`${PODS}/p/eviction`, { metadata: { name: "p" } });

Deno.test("Eviction that a budget does not allow is answered with 429 and its cause", async () => {
  using api = new Harness();
  await runningPod(api);
  await budget(api, { disruptionsAllowed: 0 });
  const { status, body } = await evict(api);
  assertEquals([status, body.message], [429, "Cannot evict pod as it would violate the pod's disruption budget."]);
  assertEquals(body.details.causes, [
    { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" },
  ]);
  assertEquals((await api.get(`${PODS}/p`)).body.metadata.deletionTimestamp, undefined);
});

Deno.test("Eviction that a budget allows spends it, marks the pod and deletes it", async () => {
  using api = new Harness();
  await runningPod(api);
  await budget(api, { disruptionsAllowed: 1 });
  assertEquals((await evict(api)).status, 201);
  const { status } = (await api.get(`${BUDGETS}/b`)).body;
  assertEquals([status.disruptionsAllowed, status.disruptedPods], [0, { p: "2026-01-01T00:00:00Z" }]);
  assertEquals(status.conditions.map(({ type, reason }: Loose) => [type, reason]), [[
    "DisruptionAllowed",
    "InsufficientPods",
  ]]);
  const evicted = (await api.get(`${PODS}/p`)).body;
  const target = evicted.status.conditions.find(({ type }: Loose) => type === "DisruptionTarget");
  assertEquals([target.status, target.reason], ["True", "EvictionByEvictionAPI"]);
  assertEquals(evicted.metadata.deletionGracePeriodSeconds, 30);
});

Deno.test("Eviction waits for a budget that was not looked at yet, and refuses two budgets", async () => {
  using api = new Harness();
  await runningPod(api);
  await budget(api, { disruptionsAllowed: 1, observedGeneration: 0 });
  const early = await evict(api);
  assertEquals([early.status, early.headers.get("retry-after")], [429, "10"]);
  await budget(api, { disruptionsAllowed: 1 }, "other");
  const two = await evict(api);
  assertEquals(two.status, 500);
  assertStringIncludes(two.body.message, "more than one PodDisruptionBudget");
});

Deno.test("Eviction of a pod that does not run asks no budget", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, { ...pod("p"), metadata: { name: "p", labels: { app: "a" } } });
  await budget(api, { disruptionsAllowed: 0 });
  assertEquals((await evict(api)).status, 201);
  assertEquals((await api.get(`${PODS}/p`)).status, 404);
});

Deno.test("Binding puts a pod on a node once, with the node's zone", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post("/api/v1/nodes", { metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "z1" } } });
  await api.post(PODS, pod("p"));
  const labels = { "topology.kubernetes.io/zone": "another", app: "a" };
  const bind = (name: string) =>
    api.post(`${PODS}/p/binding`, { metadata: { name: "p", labels }, target: { kind: "Node", name } });
  assertEquals((await bind("n1")).status, 201);
  const bound = (await api.get(`${PODS}/p`)).body;
  assertEquals([bound.spec.nodeName, bound.metadata.labels], ["n1", {
    ...labels,
    "topology.kubernetes.io/zone": "z1",
  }]);
  assertEquals(bound.status.conditions, [
    { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" },
  ]);
  const again = await bind("n2");
  assertEquals(again.status, 409);
  assertStringIncludes(again.body.message, 'pod p is already assigned to node "n1"');
});

Deno.test("Binding refuses a gated pod", async () => {
  using api = new Harness();
  await api.account("default");
  const { body } = await api.post(PODS, pod("p", { schedulingGates: [{ name: "x.y/z" }] }));
  assertEquals(body.status.conditions[0].reason, "SchedulingGated");
  assertEquals((await api.post(`${PODS}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } })).status, 409);
});

Deno.test("Pod status keeps owners and class of service", async () => {
  using api = new Harness();
  await runningPod(api);
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "1" };
  const body = {
    metadata: { ownerReferences: [owner], labels: { l: "m" } },
    status: { qosClass: null, podIP: "10.0.0.1" },
  };
  const patched = (await api.patch(`${PODS}/p/status`, body, STRATEGIC)).body;
  assertEquals([patched.metadata.ownerReferences, patched.metadata.labels], [undefined, { app: "a", l: "m" }]);
  assertEquals([patched.status.qosClass, patched.status.podIP], ["BestEffort", "10.0.0.1"]);
});

Deno.test("Ephemeral containers can be added and not taken away", async () => {
  using api = new Harness();
  await runningPod(api);
  const patch = (list: object[]) => api.patch(`${PODS}/p/ephemeralcontainers`, { spec: { ephemeralContainers: list } });
  const added = await patch([{ name: "debug", image: "x" }]);
  assertEquals([added.status, added.body.metadata.generation], [200, 2]);
  assertEquals((await patch([{ name: "other", image: "x" }])).status, 422);
});

Deno.test("Token requests give a token that reviews know until its account goes", async () => {
  using api = new Harness();
  await api.account("default");
  const { status, body } = await api.post("/api/v1/namespaces/default/serviceaccounts/default/token", { spec: {} });
  assertEquals([status, body.status.expirationTimestamp], [201, "2026-01-01T01:00:00Z"]);
  assertMatch(body.status.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const review = async () => {
    const answer = await api.post("/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token: body.status.token },
    });
    return answer.body.status;
  };
  const known = await review();
  assertEquals([known.authenticated, known.user.username], [true, "system:serviceaccount:default:default"]);
  await api.delete("/api/v1/namespaces/default/serviceaccounts/default");
  assertEquals((await review()).authenticated, undefined);
});

Deno.test("Token requests shorter than ten minutes are refused", async () => {
  using api = new Harness();
  await api.account("default");
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  assertEquals((await api.post(path, { spec: { expirationSeconds: 599 } })).status, 422);
});

Deno.test("Access reviews allow everything and are not stored", async () => {
  using api = new Harness();
  const revision = api.server.revision;
  const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
  const { status, body } = await api.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec });
  assertEquals([status, body.status.allowed, api.server.revision], [201, true, revision]);
});

Deno.test("Certificate requests are decided once and remember who asked", async () => {
  using api = new Harness();
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const request = CERTIFICATE_REQUEST;
  const spec = { request, signerName: "a.b/c", usages: ["client auth"], username: "forged" };
  const { body } = await api.post(path, { metadata: { name: "c" }, spec });
  assertEquals(body.spec.username, "kubernetes-admin");
  const decide = (...types: string[]) => {
    const conditions = types.map((type) => ({ type, status: "True", reason: "r", message: "m" }));
    return api.patch(`${path}/c/approval`, { status: { conditions } });
  };
  assertEquals((await decide("Approved")).body.status.conditions[0].lastUpdateTime, "2026-01-01T00:00:00Z");
  assertEquals((await decide("Denied")).status, 422);
  for (
    const [status, why] of [
      [{ conditions: [] }, 'status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
      [{ certificate: "AA==" }, "status.certificate: Invalid value: "],
    ] as const
  ) {
    const answer = await api.patch(`${path}/c/status`, { status });
    assertEquals([answer.status, answer.body.message.includes(why)], [422, true], answer.body.message);
  }
  const failed = { type: "Failed", status: "True" };
  const { status } = (await api.get(`${path}/c`)).body;
  const answer = await api.patch(`${path}/c/status`, { status: { conditions: [...status.conditions, failed] } });
  assertEquals(answer.body.status.conditions.map(({ type, lastTransitionTime }: Loose) => [type, lastTransitionTime]), [
    ["Approved", "2026-01-01T00:00:00Z"],
    ["Failed", "2026-01-01T00:00:00Z"],
  ]);
});
