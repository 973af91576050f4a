import { assertEquals, assertRejects } from "@std/assert";
import { deepCopy } from "../../../../src/base/mod.ts";
import { type Pod, PODS, type ReplicaSet, REPLICASETS } from "../../../../src/api/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { pod, replicaSet, ReplicaSetHarness } from "./fixtures.ts";

const SYNCED = { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, terminatingReplicas: 0 };
const podCalls = ({ client }: ReplicaSetHarness) => client.writes.filter((text) => text.includes(" pods "));

Deno.test("syncReplicas() writes nothing when pods and status are right", async () => {
  const status = { ...SYNCED, observedGeneration: 1 };
  const harness = new ReplicaSetHarness(replicaSet({ status }), pod("1"), pod("2"));
  await harness.sync();
  assertEquals(harness.client.calls, []);
});

Deno.test("syncReplicas() writes only the status when the pods are right", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ generation: 3 }), pod("1"), pod("2"));
  await harness.sync();
  assertEquals(harness.client.writes, ["put replicasets/status a/r"]);
  assertEquals(harness.status, { ...SYNCED, observedGeneration: 3 });
});

Deno.test("syncReplicas() stops creating after the batch in which a creation fails", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 100 }));
  harness.client.fail("create", statusError(403, "Forbidden", "exceeded quota"), { skip: 10 });
  await assertRejects(() => harness.sync(), Error, "exceeded quota");
  assertEquals(podCalls(harness).length, 15);
  assertEquals(harness.expectations.pending("a/r"), { add: 10, del: 0 });
  assertEquals(
    harness.recorder.lines.filter((line) => line.startsWith("Normal SuccessfulCreate a/r Created pod: r-")).length,
    10,
  );
  assertEquals(
    harness.recorder.lines.filter((line) => line === "Warning FailedCreate a/r Error creating: exceeded quota").length,
    5,
  );
  assertEquals(harness.status?.conditions?.map(({ reason, message }) => [reason, message]), [[
    "FailedCreate",
    "exceeded quota",
  ]]);
});

Deno.test("syncReplicas() creates a pod once until its cache shows it", async () => {
  const harness = new ReplicaSetHarness(replicaSet(), pod("1"));
  await harness.sync();
  assertEquals(podCalls(harness), ["create pods a/r-*"]);
  const created = harness.client.bodies<Pod>("create pods")[0];
  assertEquals(created.metadata?.ownerReferences, [{
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "r",
    uid: "uid-r",
    controller: true,
    blockOwnerDeletion: true,
  }]);
  assertEquals(created.spec, { containers: [{ name: "c", image: "i" }] });
  await assertRejects(() => harness.sync(), StaleCacheError);
  harness.owners.bookmark("9999");
  harness.pods.bookmark("9999"); // the version is reached, the pod itself held back
  await harness.sync();
  assertEquals(podCalls(harness).length, 1, "the expectation still holds");
  harness.expectations.observeCreation("a/r");
  harness.catchUp();
  await harness.sync();
  assertEquals(podCalls(harness).length, 1);
  assertEquals(harness.status?.replicas, 2);
});

Deno.test("syncReplicas() tries again after a creation failed", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }));
  harness.client.fail("create", statusError(500, "InternalError", "broken"), { times: 1 });
  await assertRejects(() => harness.sync(), Error, "broken");
  harness.catchUp();
  await harness.sync();
  assertEquals(podCalls(harness).length, 2);
});

Deno.test("syncReplicas() creates and deletes at most 500 pods at a time", async () => {
  const more = new ReplicaSetHarness(replicaSet({ replicas: 1200 }));
  await more.sync();
  assertEquals(podCalls(more).length, 500);
  const pods = Array.from({ length: 600 }, (_, i) => pod(String(i)));
  const fewer = new ReplicaSetHarness(replicaSet({ replicas: 0 }), ...pods);
  await fewer.sync();
  assertEquals(podCalls(fewer).length, 500);
  assertEquals(fewer.expectations.pending("a/r"), { add: 0, del: 500 });
});

Deno.test("syncReplicas() replaces pods of another controller and touches them not", async () => {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "o", uid: "other", controller: true }];
  const harness = new ReplicaSetHarness(replicaSet(), pod("1", { ownerReferences }));
  await harness.sync();
  assertEquals(podCalls(harness), ["create pods a/r-*", "create pods a/r-*"]);
});

Deno.test("syncReplicas() creates nothing when adoptions fail", async () => {
  const harness = new ReplicaSetHarness(replicaSet(), pod("1", { isOwned: false }), pod("2", { isOwned: false }));
  harness.client.fail("patch", statusError(409, "Conflict", "changed"));
  await assertRejects(() => harness.sync(), Error, "changed");
  assertEquals(harness.client.writes, ["patch pods a/1", "patch pods a/2"]);
});

Deno.test("syncReplicas() adopts orphans and counts them", async () => {
  const harness = new ReplicaSetHarness(replicaSet(), pod("1", { isOwned: false }), pod("2"));
  await harness.sync();
  assertEquals(harness.client.calls.map(({ text }) => text), [
    "get replicasets a/r",
    "patch pods a/1",
    "put replicasets/status a/r",
  ]);
  assertEquals(harness.status?.replicas, 2);
});

Deno.test("syncReplicas() adopts no finished and no terminating pod", async () => {
  const orphans = [
    pod("1", { isOwned: false, phase: "Failed" }),
    pod("2", { isOwned: false, deletionTimestamp: ago(1) }),
  ];
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }), ...orphans);
  await harness.sync();
  assertEquals(podCalls(harness), []);
  assertEquals(harness.status?.terminatingReplicas, 0);
});

Deno.test("syncReplicas() leaves pods alone while the ReplicaSet is being deleted, and still counts them", async () => {
  const owner = replicaSet({ replicas: 5, deletionTimestamp: ago(1), finalizers: ["x/y"] });
  const harness = new ReplicaSetHarness(
    owner,
    pod("orphan", { isOwned: false }),
    pod("own"),
    pod("out", { labels: {} }),
  );
  await harness.sync();
  assertEquals(harness.client.calls.map(({ text }) => text), ["put replicasets/status a/r"]);
  assertEquals(harness.status?.replicas, 1);
});

Deno.test("syncReplicas() adopts nothing when the ReplicaSet is being deleted on the server only", async () => {
  const harness = new ReplicaSetHarness(replicaSet(), pod("orphan", { isOwned: false }));
  harness.client.store(REPLICASETS, replicaSet({ deletionTimestamp: ago(1) }));
  await assertRejects(() => harness.sync(), Error, "has just been deleted");
  assertEquals(harness.client.calls.map(({ text }) => text), ["get replicasets a/r"]);
});

Deno.test("syncReplicas() replaces finished and terminating pods", async () => {
  const going = pod("2", { deletionTimestamp: ago(5) });
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }), pod("1"), going, pod("3", { phase: "Succeeded" }));
  await harness.sync();
  assertEquals(podCalls(harness), []);
  assertEquals([harness.status?.replicas, harness.status?.terminatingReplicas], [1, 1]);
  const alone = new ReplicaSetHarness(replicaSet({ replicas: 1 }), going, pod("3", { phase: "Failed" }));
  await alone.sync();
  assertEquals(podCalls(alone), ["create pods a/r-*"]);
});

Deno.test("syncReplicas() takes a creation refused by a terminating namespace for done", async () => {
  const harness = new ReplicaSetHarness(replicaSet());
  harness.client.fail("create", namespaceTerminating());
  await harness.sync();
  assertEquals(harness.recorder.lines, []);
  assertEquals(harness.status?.conditions, undefined);
  assertEquals(harness.expectations.pending("a/r"), { add: 2, del: 0 });
});

Deno.test("syncReplicas() deletes all pods for 0 replicas and waits until it has seen them go", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }), pod("1"), pod("2"));
  await harness.sync();
  assertEquals(podCalls(harness), ["delete pods a/1", "delete pods a/2"]);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulDelete a/r Deleted pod: 1",
    "Normal SuccessfulDelete a/r Deleted pod: 2",
  ]);
  assertEquals(harness.expectations.pending("a/r"), { add: 0, del: 2 });
});

Deno.test("syncReplicas() expects nothing of a deletion that failed, and takes a missing pod for deleted", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }), pod("1"), pod("2"), pod("3"));
  harness.client.fail("delete pods a/1", statusError(404, "NotFound", "gone"));
  harness.client.fail("delete pods a/2", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "unable to delete pods: broken");
  assertEquals(harness.expectations.pending("a/r"), { add: 0, del: 1 });
  assertEquals(harness.status?.conditions?.map(({ reason }) => reason), ["FailedDelete"]);
  assertEquals(harness.recorder.lines, [
    "Warning FailedDelete a/r Error deleting: broken",
    "Normal SuccessfulDelete a/r Deleted pod: 3",
  ]);
});

Deno.test("syncReplicas() deletes the pods that are ranked first, and observes their ages", async () => {
  const pods = [
    pod("old", { creationTimestamp: ago(400), node: "n" }),
    pod("young", { creationTimestamp: ago(100), node: "n" }),
    pod("pending", { phase: "Pending", readyFor: undefined, creationTimestamp: ago(1) }),
  ];
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }), ...pods);
  await harness.sync();
  assertEquals(podCalls(harness), ["delete pods a/pending", "delete pods a/young"]);
  const text = harness.metrics.render();
  assertEquals(text.includes("replicaset_controller_sorting_deletion_age_ratio_count 1"), true);
  assertEquals(text.includes("replicaset_controller_sorting_deletion_age_ratio_sum 1"), true);
});

Deno.test("syncReplicas() retries a refused status write once on the object as it is now", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }));
  harness.client.store(REPLICASETS, replicaSet({ replicas: 7, generation: 2, labels: { new: "er" } }));
  await harness.sync();
  assertEquals(harness.client.calls.map(({ text }) => text), [
    "put replicasets/status a/r",
    "get replicasets a/r",
    "put replicasets/status a/r",
  ]);
  const second = harness.client.bodies<ReplicaSet>("put")[1];
  assertEquals(second.metadata?.labels, { new: "er" });
  assertEquals(second.status?.observedGeneration, 1, "the generation that was synced");
});

Deno.test("syncReplicas() fails after a second refused status write, or a failed read between them", async () => {
  const twice = new ReplicaSetHarness(replicaSet({ replicas: 0 }));
  twice.client.fail("put", statusError(409, "Conflict", "changed"));
  await assertRejects(() => twice.sync(), Error, "changed");
  assertEquals(twice.client.calls.length, 3);
  const unreadable = new ReplicaSetHarness(replicaSet({ replicas: 0 }));
  unreadable.client.fail("put", statusError(409, "Conflict", "changed"));
  unreadable.client.fail("get", statusError(500, "InternalError", "broken"));
  await assertRejects(() => unreadable.sync(), Error, "broken");
  assertEquals(unreadable.client.calls.length, 2);
});

Deno.test("syncReplicas() looks again when the next ready pod becomes available", async () => {
  const pods = [
    pod("1", { readyFor: undefined, phase: "Pending" }),
    pod("2", { readyFor: 0 }),
    pod("3", { readyFor: 2 }),
    pod("4"),
  ];
  pods[3].status!.conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2025-12-31T23:59:55.700Z" }];
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 4, minReadySeconds: 5 }), ...pods);
  await harness.sync();
  assertEquals([harness.status?.readyReplicas, harness.status?.availableReplicas], [3, undefined]);
  await harness.world.clock.advance(699);
  assertEquals(harness.queue.length, 0);
  await harness.world.clock.advance(1);
  assertEquals(await harness.queued(), ["a/r: minReadySeconds passed"]);
  harness.queue.shutDown();
});

Deno.test("syncReplicas() does not come back when all ready pods are available", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1, minReadySeconds: 5 }), pod("1"));
  await harness.sync();
  await harness.world.clock.advance(60_000);
  assertEquals(harness.queue.length, 0);
});

Deno.test("syncReplicas() gives up on an invalid selector without an error", async () => {
  const owner = replicaSet();
  owner.spec!.selector = { matchExpressions: [{ key: "app", operator: "Near" }] };
  const harness = new ReplicaSetHarness(owner, pod("1"));
  await harness.sync();
  assertEquals(harness.client.calls, []);
  assertEquals(harness.world.log.lines.filter(({ severity }) => severity === "error").length, 1);
});

Deno.test("syncReplicas() forgets a ReplicaSet that is gone", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }));
  await harness.sync();
  assertEquals(harness.expectations.pending("a/r"), { add: 1, del: 0 });
  harness.owners.delete(harness.owners.get("a/r")!);
  harness.owners.bookmark("9999");
  harness.pods.bookmark("9999");
  await harness.sync();
  assertEquals(harness.expectations.pending("a/r"), undefined);
});

Deno.test("syncReplicas() waits for the caches to show its own writes, and counts each time it has to", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }));
  await harness.sync();
  const written = Number(harness.client.all(PODS)[0].metadata?.resourceVersion);
  harness.owners.bookmark("9999");
  harness.pods.bookmark(String(written - 1));
  const error = await assertRejects(() => harness.sync(), StaleCacheError);
  assertEquals(
    error.message,
    `read version: ${written - 1} is not as new as written version: ${written} for group resource pods`,
  );
  assertEquals(harness.metrics.render().includes('stale_sync_skips_total{group="",resource="pods"} 1'), true);
  harness.pods.bookmark(String(written));
  await harness.sync();
});

Deno.test("syncReplicas() waits for its cache to show the status it wrote", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }));
  await harness.sync();
  await assertRejects(() => harness.sync(), StaleCacheError, "replicasets.apps");
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.client.writes.length, 1);
});

Deno.test("syncReplicas() observes no age ratio where the youngest pod was just created", async () => {
  const pods = [pod("1", { creationTimestamp: ago(0) }), pod("2", { creationTimestamp: ago(9) })];
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }), ...pods);
  await harness.sync();
  assertEquals(harness.metrics.render().includes("deletion_age_ratio_count 0\n"), true);
});

Deno.test("syncReplicas() changes no cached object", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 1 }), pod("1"), pod("2", { isOwned: false }), pod("3"));
  const before = deepCopy([harness.owners.list(), harness.pods.list()]);
  await harness.sync();
  assertEquals([harness.owners.list(), harness.pods.list()], before);
});

Deno.test("syncReplicas() fails when a deletion fails by an error merely caused by a 404", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }), pod("1"));
  harness.client.fail("delete", new Error("cannot get a token", { cause: statusError(404, "NotFound") }));
  await assertRejects(() => harness.sync(), Error, "cannot get a token");
  assertEquals(harness.status?.conditions?.map(({ reason }) => reason), ["FailedDelete"]);
});

Deno.test("syncReplicas() does not write its status on another ReplicaSet of the same name", async () => {
  const harness = new ReplicaSetHarness(replicaSet({ replicas: 0 }));
  harness.client.store(REPLICASETS, replicaSet({ replicas: 7, uid: "another" }));
  await assertRejects(() => harness.sync(), Error, "the status of ReplicaSet a/r: it was replaced by another one");
  assertEquals(harness.client.writes, ["put replicasets/status a/r"]);
  assertEquals(harness.status?.observedGeneration, undefined);
});
