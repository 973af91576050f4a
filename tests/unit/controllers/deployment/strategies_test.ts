import { assertEquals, assertRejects } from "@std/assert";
import { newControllerRef, type Pod, REPLICASETS } from "../../../../src/api/mod.ts";
import { statusError } from "../status_errors.ts";
import {
  condition,
  deployment,
  DeploymentHarness,
  type DeploymentTraits,
  replicaSet,
  type ReplicaSetTraits,
  REVISION,
} from "./fixtures.ts";

const STATUS = "put deployments/status a/d";
const current = (size: number, traits: ReplicaSetTraits = {}) =>
  replicaSet("r-1", size, { image: "nginx:1", revision: "2", desired: 10, max: 12, ...traits });
const old = (size: number, traits: ReplicaSetTraits = {}) =>
  replicaSet("r-2", size, { revision: "1", desired: 10, max: 12, ...traits });
const wanted = (traits: DeploymentTraits = {}) =>
  deployment({ replicas: 10, maxSurge: 2, maxUnavailable: 2, annotations: { [REVISION]: "2" }, ...traits });

Deno.test("syncDeployment() grows the current ReplicaSet before it shrinks old ones", async () => {
  const harness = new DeploymentHarness(wanted(), old(10), current(1));
  await harness.sync();
  assertEquals(harness.client.writes, ["put replicasets a/r-1", STATUS]);
  assertEquals(harness.sizes, { "r-1": 2, "r-2": 10 });
});

Deno.test("syncDeployment() shrinks old ReplicaSets once the current one cannot grow", async () => {
  const harness = new DeploymentHarness(wanted(), old(10, { available: 9 }), current(2));
  await harness.sync();
  assertEquals(harness.recorder.lines, [
    "Normal ScalingReplicaSet a/d Scaled down replica set r-2 from 10 to 9",
    "Normal ScalingReplicaSet a/d Scaled down replica set r-2 from 9 to 6",
  ]);
  assertEquals(harness.client.writes, ["put replicasets a/r-2", "put replicasets a/r-2", STATUS]);
});

Deno.test("syncDeployment() takes a failure to shrink old ReplicaSets for nothing to do", async () => {
  const harness = new DeploymentHarness(wanted(), old(10), current(2));
  harness.client.fail("put replicasets a/r-2", statusError(409, "Conflict"));
  await harness.sync();
  assertEquals(harness.client.writes, ["put replicasets a/r-2", STATUS]);
});

Deno.test("syncDeployment() fails when the current ReplicaSet cannot grow for an error", async () => {
  const harness = new DeploymentHarness(wanted(), old(10), current(1));
  harness.client.fail("put replicasets a/r-1", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
});

Deno.test("syncDeployment() deletes old ReplicaSets when the status it knows is complete", async () => {
  const complete = {
    observedGeneration: 1,
    replicas: 10,
    updatedReplicas: 10,
    readyReplicas: 10,
    availableReplicas: 10,
    terminatingReplicas: 0,
  };
  for (const status of [complete, { ...complete, availableReplicas: 9 }]) {
    const harness = new DeploymentHarness(wanted({ status, revisionHistoryLimit: 0 }), old(0), current(10));
    harness.client.fail("delete", statusError(404, "NotFound"));
    await harness.sync();
    const deletions = harness.client.writes.filter((text) => text.startsWith("delete"));
    assertEquals(deletions, status === complete ? ["delete replicasets a/r-2"] : []);
  }
});

const WAITING = {
  observedGeneration: 1,
  replicas: 10,
  updatedReplicas: 10,
  readyReplicas: 9,
  availableReplicas: 9,
  unavailableReplicas: 1,
  terminatingReplicas: 0,
};
Deno.test("syncDeployment() looks again after the deadline when nothing moves", async () => {
  const conditions = [
    condition("Progressing", "True", "ReplicaSetUpdated", { updated: 30 }),
    condition("Available", "True", "MinimumReplicasAvailable"),
  ];
  const status = { ...WAITING, conditions };
  const harness = new DeploymentHarness(wanted({ status, progressDeadlineSeconds: 60 }), current(10, { available: 9 }));
  await harness.sync();
  assertEquals(harness.client.writes, []);
  await harness.world.clock.advance(30_999);
  assertEquals(harness.queue.length, 0);
  await harness.world.clock.advance(1);
  assertEquals((await harness.queue.get())?.key, "a/d");
  await harness.sync();
  assertEquals(harness.conditions, [
    "Available True MinimumReplicasAvailable",
    "Progressing False ProgressDeadlineExceeded",
  ]);
});

const recreated = (traits: DeploymentTraits = {}) => wanted({ type: "Recreate", ...traits });
const podOf = (phase: string): Pod => ({
  metadata: { namespace: "a", name: `pod-${phase}`, ownerReferences: [newControllerRef(old(0), REPLICASETS)] },
  status: { phase },
});

Deno.test("syncDeployment() with Recreate scales all old ReplicaSets to 0 first", async () => {
  const harness = new DeploymentHarness(recreated(), old(10), current(0));
  await harness.sync();
  assertEquals(harness.client.writes, ["put replicasets a/r-2", STATUS]);
  assertEquals(harness.sizes, { "r-1": 0, "r-2": 0 });
});

Deno.test("syncDeployment() with Recreate waits while the old status still counts pods", async () => {
  const harness = new DeploymentHarness(recreated(), old(0, { status: { replicas: 1 } }));
  await harness.sync();
  assertEquals(harness.client.writes, [STATUS]);
});

for (const phase of ["Pending", "Running", "Unknown"]) {
  Deno.test(`syncDeployment() with Recreate waits for an old pod that is ${phase}`, async () => {
    const harness = new DeploymentHarness(recreated(), old(0));
    harness.pods.add(podOf(phase));
    await harness.sync();
    assertEquals(harness.client.writes, [STATUS]);
  });
}

Deno.test("syncDeployment() with Recreate creates the new ReplicaSet when only finished old pods are left", async () => {
  const harness = new DeploymentHarness(recreated(), old(0));
  for (const phase of ["Failed", "Succeeded"]) harness.pods.add(podOf(phase));
  await harness.sync();
  assertEquals(Object.values(harness.sizes).sort(), [0, 10]);
  assertEquals(harness.recorder.lines.map((line) => line.replace(/d-\w+/, "RS")), [
    "Normal ScalingReplicaSet a/d Scaled up replica set RS from 0 to 10",
  ]);
});

Deno.test("syncDeployment() with Recreate scales an existing current ReplicaSet up", async () => {
  const harness = new DeploymentHarness(recreated(), old(0), current(0));
  await harness.sync();
  assertEquals(harness.sizes, { "r-1": 10, "r-2": 0 });
});
