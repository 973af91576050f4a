/** Whom pods belong to, and how many their owners want. */
import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { KubeObject } from "../../../../src/api/mod.ts";
import type { ScaleContext } from "../../../../src/controllers/disruption/context.ts";
import { liveScale } from "../../../../src/controllers/disruption/live_scale.ts";
import { statusError } from "../status_errors.ts";
import {
  budget,
  custom,
  deployment,
  DisruptionHarness,
  pod,
  podsOf,
  referenceTo,
  replicaSet,
  statefulSet,
  THINGS,
  workload,
} from "./fixtures.ts";

/** A budget of nine tenths, and one ready pod of `owner`. */
function withPodOf(owner: KubeObject, ...stored: readonly KubeObject[]): DisruptionHarness {
  return new DisruptionHarness().store(budget({ minAvailable: "90%" }), ...stored, ...podsOf(owner, 1));
}

/** The message of the event and of the condition. */
async function failureOf(harness: DisruptionHarness): Promise<string> {
  assertEquals((await harness.sync()).split(" ")[1], "SyncFailed");
  const { message } = harness.status!.conditions![0];
  const text = `Failed to calculate the number of expected pods: ${message}`;
  assertEquals(harness.events, [`Warning CalculateExpectedPodCountFailed a/b ${text}`]);
  return message;
}

Deno.test("scaleOf reads what built-in owners want from the caches", async () => {
  const old = { ...statefulSet("s", 10), apiVersion: "apps/v1beta1" };
  for (const owner of [statefulSet("s", 10), replicaSet("s", 10), old]) {
    const harness = withPodOf(owner, owner);
    assertEquals(await harness.sync(), "0,1,9,10 InsufficientPods");
    assertEquals(harness.client.calls.map(({ text }) => text), ["put poddisruptionbudgets/status a/b"]);
  }
});

Deno.test("scaleOf asks for the scale of any other owner, once for all its pods", async () => {
  const owner = custom("t", 10);
  const harness = new DisruptionHarness().store(budget({ minAvailable: "90%" }), owner, ...podsOf(owner, 3));
  assertEquals(await harness.sync(), "0,3,9,10 InsufficientPods");
  assertEquals(harness.client.calls.map(({ text }) => text), [
    "get things/scale a/t",
    "put poddisruptionbudgets/status a/b",
  ]);
});

Deno.test("scaleOf takes a scale that says no number for 0", async () => {
  const { spec: _spec, ...owner } = custom("t", 0);
  const harness = withPodOf(owner, owner);
  Object.assign(harness.context.client, { get: () => Promise.resolve({ metadata: owner.metadata }) });
  assertEquals(await harness.sync(), "0,1,0,0 InsufficientPods");
});

Deno.test("scaleOf counts a ReplicaSet that something else than a Deployment controls", async () => {
  const owner = replicaSet("s", 10, workload("argoproj.io/v1alpha1", "Rollout", { name: "r", replicas: 3 }));
  assertEquals(await withPodOf(owner, owner).sync(), "0,1,9,10 InsufficientPods");
});

Deno.test("scaleOf counts a ReplicaSet whose Deployment is gone as the API server has it", async () => {
  const owner = replicaSet("s", 10, deployment("d", 3));
  const harness = withPodOf(owner, owner);
  assertEquals(await harness.sync(), "0,1,9,10 InsufficientPods");
  assertEquals(harness.client.calls[0].text, "get replicasets/scale a/s");
});

Deno.test("scaleOf asks for the scale of a ReplicaSet whose controller is a Deployment of another group", async () => {
  const known = deployment("d", 3);
  const owner = replicaSet("s", 10, { ...referenceTo(known), apiVersion: "example.com/v1" });
  const harness = withPodOf(owner, owner, known);
  assertEquals(await harness.sync(), "0,1,9,10 InsufficientPods");
  assertEquals(harness.client.calls[0].text, "get replicasets/scale a/s");
});

Deno.test("scaleOf takes an owner of another kind for another one, whatever its name and uid", async () => {
  const owner = replicaSet("s", 10);
  const other = { ...owner, kind: "DaemonSet" };
  assertEquals(await failureOf(withPodOf(other, owner)), 'no matches for kind "DaemonSet" in version "apps/v1"');
});

Deno.test("scaleOf takes an owner with another uid for another one", async () => {
  const owner = statefulSet("s", 10);
  const recreated = { ...owner, metadata: { ...owner.metadata, uid: "uid-new" } };
  assertEquals(await failureOf(withPodOf(owner, recreated)), 'found no controllers for pod "s-0"');
});

Deno.test("scaleOf fails for an owner that is gone", async () => {
  const harness = withPodOf(custom("t", 10));
  assertEquals(await failureOf(harness), 'found no controllers for pod "t-0"');
  assertEquals(harness.client.calls[1].text, "get /apis/example.com/v1");
});

Deno.test("scaleOf fails for an owner that has no scale", async () => {
  const of = (group: string, version: string, kind: string) => ({ name: "things/scale", group, version, kind });
  const lists = [
    { resources: [{ name: "things", kind: "Thing" }] },
    { resources: [of("autoscaling", "v2", "Scale")] },
    { resources: [of("autoscaling", "v1", "Other")] },
    {},
  ];
  for (const discovered of lists) {
    const harness = withPodOf(custom("t", 10));
    harness.discovered = discovered;
    assertEquals(await failureOf(harness), "things.example.com does not implement the scale subresource");
  }
});

Deno.test("scaleOf fails for an owner whose kind is not served", async () => {
  const owner = workload("example.com/v1", "Unknown", { name: "u", replicas: 1 });
  assertEquals(await failureOf(withPodOf(owner)), 'no matches for kind "Unknown" in version "example.com/v1"');
});

Deno.test("scaleOf fails for an owner that could not be asked", async () => {
  const harness = withPodOf(custom("t", 10), custom("t", 10));
  harness.client.fail("get", statusError(403, "Forbidden", "you may not"));
  assertEquals(await failureOf(harness), "you may not");
});

Deno.test("scaleOf fails for an owner whose apiVersion cannot be read", async () => {
  const owner = { ...custom("t", 1), apiVersion: "a/b/c" };
  assertEquals(await failureOf(withPodOf(owner)), "unexpected GroupVersion string: a/b/c");
});

Deno.test("scaleOf looks at owners only where they matter", async () => {
  const owner = { ...referenceTo(custom("t", 1)), apiVersion: "a/b/c" };
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1 }), pod("p", { owner }), pod("q"));
  assertEquals(await harness.sync(), "1,2,1,2 SufficientPods");
});

Deno.test("liveScale asks in the group's preferred version, and for every owner as if it were in the pod's namespace", async () => {
  const asked: unknown[] = [];
  const node = {
    group: "",
    version: "v1",
    plural: "nodes",
    kind: "Node",
    namespaced: false,
    verbs: [],
    subresources: [],
  };
  const old = { ...THINGS, version: "v1beta1" };
  const context: ScaleContext = {
    world: new FakeWorld(),
    client: {
      get: ({ version, plural, namespaced }, ref, options) => {
        asked.push([version, plural, namespaced, ref, options]);
        return Promise.reject(statusError(404, "NotFound"));
      },
      request: <T>(_method: string, path: string) => {
        asked.push(path);
        return Promise.resolve({} as T);
      },
    },
    mapper: {
      resourceFor: ({ kind, version }) =>
        Promise.resolve(kind === "Node" ? node : version === "v1beta1" ? old : THINGS),
    },
  };
  for (const [apiVersion, kind] of [["example.com/v1beta1", "Thing"], ["v1", "Node"]]) {
    const reference = { apiVersion, kind, name: "x", uid: "u" };
    await assertRejects(() => liveScale(reference, "a", context), Error, "does not implement the scale subresource");
  }
  const [ref, scale] = [{ namespace: "a", name: "x" }, { subresource: "scale" }];
  assertEquals(asked, [
    ["v1", "things", true, ref, scale],
    "/apis/example.com/v1beta1",
    ["v1", "nodes", true, ref, scale],
    "/api/v1",
  ]);
});
