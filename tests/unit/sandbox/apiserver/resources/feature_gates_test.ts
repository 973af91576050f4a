import { assertEquals, assertThrows } from "@std/assert";
import { Harness } from "../harness.ts";

const GROUP = "/apis/scheduling.k8s.io/v1alpha2";
const WORKLOADS = `${GROUP}/namespaces/default/workloads`;
const POD_GROUPS = `${GROUP}/namespaces/default/podgroups`;

const workload = {
  apiVersion: "scheduling.k8s.io/v1alpha2",
  kind: "Workload",
  metadata: { name: "w" },
  spec: { podGroupTemplates: [{ name: "t", schedulingPolicy: { gang: { minCount: 2 } } }] },
};

const podGroup = {
  apiVersion: "scheduling.k8s.io/v1alpha2",
  kind: "PodGroup",
  metadata: { name: "g" },
  spec: { schedulingPolicy: { gang: { minCount: 2 } } },
};

const pod = {
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i" }], schedulingGroup: { podGroupName: "g" } },
};

function gangServer(): Harness {
  return new Harness({ featureGates: { GenericWorkload: true } });
}

/** Pods wait for the default account of their namespace. */
async function createPod(api: Harness) {
  await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  return await api.post("/api/v1/namespaces/default/pods", pod);
}

Deno.test("featureGates: Workloads and PodGroups are not served, and pods belong to no group, unless they are asked for", async () => {
  using api = new Harness();
  assertEquals((await api.get(GROUP)).status, 404);
  assertEquals((await api.post(WORKLOADS, workload)).status, 404);
  assertEquals((await createPod(api)).body.spec.schedulingGroup, undefined);
});

Deno.test("featureGates: GenericWorkload serves Workloads and PodGroups beside v1, which stays preferred", async () => {
  using api = gangServer();
  const { body: group } = await api.get("/apis/scheduling.k8s.io");
  assertEquals(group.versions.map(({ version }: { version: string }) => version), ["v1", "v1alpha2"]);
  assertEquals(group.preferredVersion.version, "v1");
  const { body: found } = await api.get(GROUP);
  const names = found.resources.map(({ name }: { name: string }) => name);
  assertEquals(names, ["podgroups", "podgroups/status", "workloads"]);
  const { status, body } = await api.post(WORKLOADS, workload);
  assertEquals(status, 201);
  const [template] = body.spec.podGroupTemplates;
  assertEquals(template, { ...workload.spec.podGroupTemplates[0], schedulingConstraints: null });
});

Deno.test("featureGates: GenericWorkload lets pods name their group", async () => {
  using api = gangServer();
  assertEquals((await createPod(api)).body.spec.schedulingGroup, { podGroupName: "g" });
});

Deno.test("featureGates: a PodGroup's status is written through its subresource, and its spec stays", async () => {
  using api = gangServer();
  const { status, body } = await api.post(POD_GROUPS, podGroup);
  assertEquals([status, body.status], [201, {}]);
  const conditions = [{
    type: "PodGroupScheduled",
    status: "True",
    reason: "Scheduled",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  }];
  const answer = await api.put(`${POD_GROUPS}/g/status`, { ...body, status: { conditions } });
  assertEquals(answer.body.status.conditions.length, 1);
  const changed = { ...answer.body, spec: { ...answer.body.spec, schedulingPolicy: { basic: {} } } };
  const refused = await api.put(`${POD_GROUPS}/g`, changed);
  assertEquals([refused.status, refused.body.details.causes[0].field], [422, "spec.schedulingPolicy"]);
});

Deno.test("featureGates: a Workload has templates with names of their own and one policy each, for good", async () => {
  using api = gangServer();
  const withTemplates = (...podGroupTemplates: object[]) => ({ ...workload, spec: { podGroupTemplates } });
  const fieldsOf = async (body: object) => {
    const answer = await api.post(WORKLOADS, body);
    return answer.body.details.causes.map(({ field, reason }: Record<string, string>) => `${field} ${reason}`);
  };
  assertEquals(await fieldsOf(withTemplates()), ["spec.podGroupTemplates FieldValueRequired"]);
  const policy = { schedulingPolicy: { basic: {} } };
  assertEquals(await fieldsOf(withTemplates({ name: "a", ...policy }, { name: "a", ...policy })), [
    "spec.podGroupTemplates[1] FieldValueDuplicate",
  ]);
  assertEquals(await fieldsOf(withTemplates({ name: "a", schedulingPolicy: { gang: { minCount: 0 } } })), [
    "spec.podGroupTemplates[0].schedulingPolicy.gang.minCount FieldValueRequired",
  ]);
  const { body } = await api.post(WORKLOADS, workload);
  const refused = await api.put(`${WORKLOADS}/w`, { ...body, ...withTemplates({ name: "b", ...policy }) });
  assertEquals([refused.status, refused.body.details.causes[0].field], [422, "spec.podGroupTemplates"]);
});

Deno.test("featureGates: CoordinatedLeaderElection keeps what a coordinator needs of a Lease", async () => {
  const lease = { metadata: { name: "l" }, spec: { strategy: "OldestEmulationVersion" } };
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  using plain = new Harness();
  assertEquals((await plain.post(path, lease)).body.spec.strategy, undefined);
  using api = new Harness({ featureGates: { CoordinatedLeaderElection: true } });
  assertEquals((await api.post(path, lease)).body.spec.strategy, "OldestEmulationVersion");
});

Deno.test("featureGates: a gate that the server does not know is refused with those that it knows", () => {
  assertThrows(
    () => new Harness({ featureGates: { FlyingPods: true } }),
    RangeError,
    "unrecognized feature gate: FlyingPods: the embedded API server has ClusterTrustBundle, ",
  );
});

Deno.test("featureGates: what they serve can be applied", async () => {
  using api = gangServer();
  const contentType = "application/apply-patch+yaml";
  const applied = await api.send("PATCH", `${WORKLOADS}/w?fieldManager=m`, workload, { contentType });
  assertEquals(applied.status, 201);
});
