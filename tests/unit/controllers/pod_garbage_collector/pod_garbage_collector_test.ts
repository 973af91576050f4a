/** Which pods are collected, in which order, and which are left alone. */
import { assertEquals } from "@std/assert";
import { managerFlags, managerOptions } from "../../../../src/manager/mod.ts";
import { node, pod, PodGcRig, type PodTraits } from "./pod_garbage_collector_rig.ts";
import { statusError } from "../status_errors.ts";

/** Pods made one after the other. */
function inOrder(...made: readonly [name: string, traits: PodTraits][]) {
  return made.map(([name, traits], i) => pod(name, { creationTimestamp: `2026-01-01T00:00:0${i}Z`, ...traits }));
}

const FAILED = { phase: "Failed" };
const SUCCEEDED = { phase: "Succeeded" };

const TERMINATED = [
  {
    title: "the oldest of three",
    threshold: 1,
    pods: inOrder(["a", FAILED], ["b", SUCCEEDED], ["c", FAILED]),
    gone: "a b",
  },
  { title: "none with threshold 0", threshold: 0, pods: inOrder(["a", FAILED], ["b", SUCCEEDED]), gone: "" },
  { title: "none with a threshold below 0", threshold: -1, pods: inOrder(["a", FAILED], ["b", SUCCEEDED]), gone: "" },
  { title: "none that runs", threshold: 1, pods: inOrder(["a", {}], ["b", SUCCEEDED], ["c", FAILED]), gone: "b" },
  {
    title: "none that is pending or unknown",
    threshold: 1,
    pods: inOrder(["a", { phase: "Pending" }], ["b", { phase: "Unknown" }], ["c", FAILED]),
    gone: "",
  },
  { title: "none below the threshold", threshold: 5, pods: inOrder(["a", FAILED], ["b", SUCCEEDED]), gone: "" },
  {
    title: "evicted ones first",
    threshold: 1,
    pods: inOrder(["a", FAILED], ["b", SUCCEEDED], ["c", { ...FAILED, reason: "Evicted" }]),
    gone: "c a",
  },
  {
    title: "the first by name of those made at the same time",
    threshold: 1,
    pods: ["b", "a"].map((name) => pod(name, { ...FAILED, creationTimestamp: "2026-01-01T00:00:00Z" })),
    gone: "a",
  },
];

for (const { title, threshold, pods, gone } of TERMINATED) {
  Deno.test(`PodGarbageCollector deletes of too many ended pods ${title}`, async () => {
    const rig = new PodGcRig({ pods, threshold });
    await rig.pass(1);
    assertEquals(rig.deleted.join(" "), gone);
    assertEquals(rig.patched, []);
    await rig.end();
  });
}

Deno.test("PodGarbageCollector takes a pod without a phase for ended, and makes it Failed", async () => {
  const rig = new PodGcRig({ pods: inOrder(["a", { phase: "" }], ["b", FAILED]), threshold: 1 });
  await rig.pass(1);
  assertEquals(rig.calls, ["patch pods/status a/a", "delete pods a/a"]);
  await rig.end();
});

Deno.test("NodeQuarantine: a node is looked up when 40 s have passed since it was first missed, and at no other time; PodGarbageCollector deletes its pods", async () => {
  const pods = [
    pod("running", { node: "n" }),
    pod("ended", { node: "n", ...SUCCEEDED }),
    pod("pending", { phase: "Pending" }),
  ];
  const rig = new PodGcRig({ pods });
  await rig.pass(39);
  assertEquals(rig.calls, []);
  await rig.pass(22);
  assertEquals(rig.calls, [
    "get nodes n",
    "patch pods/status a/running",
    "delete pods a/running",
    "delete pods a/ended",
  ]);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    observedGeneration: 2,
    lastTransitionTime: "2026-01-01T00:01:00Z",
  };
  assertEquals(rig.bodies[0], {
    metadata: { uid: "uid-running" },
    status: {
      phase: "Failed",
      observedGeneration: 2,
      "$setElementOrder/conditions": [{ type: "DisruptionTarget" }],
      conditions: [condition],
    },
  });
  assertEquals(rig.bodies[1], { gracePeriodSeconds: 0 });
  assertEquals([rig.count("pods", "orphaned"), rig.count("pod_errors", "orphaned")], [2, 0]);
  await rig.end();
});

Deno.test("PodGarbageCollector says of a pod's status only what is new", async () => {
  const since = "2025-12-31T00:00:00Z";
  const before = { type: "DisruptionTarget", status: "True", reason: "Other", lastTransitionTime: since };
  const conditions = [before, { type: "Ready", status: "True" }];
  const rig = new PodGcRig({ pods: [pod("p", { node: "n", conditions, observedGeneration: 2 })] });
  await rig.pass(61);
  assertEquals(rig.bodies[0], {
    metadata: { uid: "uid-p" },
    status: {
      phase: "Failed",
      "$setElementOrder/conditions": [{ type: "DisruptionTarget" }, { type: "Ready" }],
      conditions: [{
        type: "DisruptionTarget",
        reason: "DeletionByPodGC",
        message: "PodGC: node no longer exists",
        observedGeneration: 2,
      }],
    },
  });
  await rig.end();
});

Deno.test("NodeQuarantine: a node that turned up meanwhile, or about which nothing could be learned, starts over if it is missed again", async () => {
  const rig = new PodGcRig({ pods: [pod("p", { node: "n" })], uncached: ["n"] });
  await rig.pass(61);
  assertEquals(rig.calls, ["get nodes n"]);
  await rig.pass(39);
  assertEquals(rig.calls, ["get nodes n"]);
  await rig.pass(61);
  assertEquals(rig.calls, ["get nodes n", "get nodes n"]);
  await rig.end();
});

Deno.test("PodGarbageCollector spares pods of a node that turns up during the quarantine, without asking", async () => {
  const rig = new PodGcRig({ pods: [pod("p", { node: "n" })] });
  await rig.pass(30);
  rig.nodes.add(node("n"));
  await rig.pass(120);
  assertEquals(rig.calls, []);
  await rig.end();
});

Deno.test("NodeQuarantine: a node is gone only if the API server says that it does not exist; any other failure proves nothing", async () => {
  for (
    const error of [statusError(500, "InternalError"), new Error("no token", { cause: statusError(404, "NotFound") })]
  ) {
    const rig = new PodGcRig({ pods: [pod("p", { node: "n" })] });
    rig.fail("get nodes n", error);
    await rig.pass(61);
    assertEquals(rig.calls, ["get nodes n"]);
    await rig.pass(80);
    assertEquals(rig.calls, ["get nodes n", "get nodes n"]);
    await rig.end();
  }
});

Deno.test("PodGarbageCollector deletes pods being deleted that never had a node", async () => {
  const isDeleting = true;
  const pods = [
    pod("failed", { ...FAILED, isDeleting }),
    pod("succeeded", { ...SUCCEEDED, isDeleting }),
    pod("running", { isDeleting }),
    pod("other"),
  ];
  const rig = new PodGcRig({ pods });
  await rig.pass(1);
  assertEquals(rig.deleted.toSorted(), ["failed", "running", "succeeded"]);
  assertEquals(rig.patched, ["running"]);
  assertEquals(rig.bodies[rig.calls.indexOf("patch pods/status a/running")], {
    metadata: { uid: "uid-running" },
    status: { phase: "Failed", observedGeneration: 2 },
  });
  assertEquals(rig.count("pods", "unscheduled"), 3);
  await rig.end();
});

const TAINT = "node.kubernetes.io/out-of-service";
const NODES_WITH_PODS = [
  { title: "healthy", traits: {}, isOut: false },
  { title: "out of service", traits: { isReady: false, taint: { key: TAINT, effect: "NoExecute" } }, isOut: true },
  {
    title: "out, with NoSchedule",
    traits: { isReady: false, taint: { key: TAINT, effect: "NoSchedule" } },
    isOut: true,
  },
  {
    title: "out, with a value",
    traits: { isReady: false, taint: { key: TAINT, value: "nodeshutdown", effect: "PreferNoSchedule" } },
    isOut: true,
  },
  { title: "tainted but ready", traits: { taint: { key: TAINT, effect: "NoExecute" } }, isOut: false },
  { title: "not ready, without the taint", traits: { isReady: false }, isOut: false },
];

for (const { title, traits, isOut } of NODES_WITH_PODS) {
  Deno.test(`PodGarbageCollector ${isOut ? "ends" : "spares"} pods being deleted on a node that is ${title}`, async () => {
    const pods = [pod("going", { node: "n", isDeleting: true }), pod("staying", { node: "n" })];
    const rig = new PodGcRig({ pods, nodes: [node("n", traits)] });
    await rig.pass(1);
    assertEquals(rig.calls, isOut ? ["patch pods/status a/going", "delete pods a/going"] : []);
    assertEquals(rig.count("pods", "out-of-service"), isOut ? 1 : 0);
    await rig.end();
  });
}

Deno.test("PodGarbageCollector takes a node without a Ready condition for not ready", async () => {
  const { status: _status, ...silent } = node("n", { taint: { key: TAINT, effect: "NoExecute" } });
  const rig = new PodGcRig({ pods: [pod("going", { node: "n", isDeleting: true })], nodes: [silent] });
  await rig.pass(1);
  assertEquals(rig.deleted, ["going"]);
  await rig.end();
});

Deno.test("PodGarbageCollector: no failure ends a pass, or the controller: a pod that could not be made Failed is not deleted, and tried again in the next pass", async () => {
  const rig = new PodGcRig({ pods: [pod("p", { isDeleting: true })] });
  rig.fail("patch pods/status a/p", statusError(500, "InternalError"));
  await rig.pass(1);
  assertEquals(rig.calls, ["patch pods/status a/p"]);
  assertEquals([rig.count("pods", "unscheduled"), rig.count("pod_errors", "unscheduled")], [1, 1]);
  await rig.pass(20);
  assertEquals(rig.calls.length, 2);
  await rig.end();
});

Deno.test("PodGarbageCollector counts a pod that was gone already as an error", async () => {
  const rig = new PodGcRig({ pods: [pod("p", { ...FAILED, isDeleting: true })] });
  rig.fail("delete pods a/p", statusError(404, "NotFound"));
  await rig.pass(1);
  assertEquals(rig.count("pod_errors", "unscheduled"), 1);
  await rig.end();
});

Deno.test("PodGarbageCollector deletes in every pass a pod that a finalizer holds", async () => {
  const rig = new PodGcRig({ pods: [pod("p", { ...FAILED, isDeleting: true })] });
  await rig.pass(1);
  await rig.pass(40);
  assertEquals(rig.deleted, ["p", "p", "p"]);
  await rig.end();
});

Deno.test("PodGarbageCollector: all of a pass goes by the pods and nodes that were there when it began, so that a pod can be met twice", async () => {
  const pods = inOrder(["a", { ...FAILED, isDeleting: true }], ["b", FAILED]);
  const rig = new PodGcRig({ pods, threshold: 1 });
  await rig.pass(1);
  assertEquals(rig.deleted, ["a", "a"]);
  assertEquals([rig.count("pods", "terminated"), rig.count("pods", "unscheduled")], [1, 1]);
  await rig.end();
});

Deno.test("PodGarbageCollector tells the journal why it deleted a pod, and whether it could", async () => {
  const rig = new PodGcRig({ pods: [pod("p", { node: "n" })] });
  rig.fail("delete pods a/p", statusError(500, "InternalError", "broken"));
  await rig.pass(61);
  const [{ controller, kind, key, record: { causes, outcome, error } }] = rig.journal;
  assertEquals({ controller, kind, key, causes: causes.texts, outcome }, {
    controller: "pod-garbage-collector-controller",
    kind: "Pod",
    key: "a/p",
    causes: ["node/n deleted"],
    outcome: "forget",
  });
  assertEquals(error, "broken");
  await rig.end();
});

Deno.test("PodGarbageCollector stops between two pods when it is to end", async () => {
  const pods = ["a", "b", "c"].map((name) => pod(name, { ...FAILED, isDeleting: true }));
  const rig = new PodGcRig({ pods });
  const ended = rig.end();
  await ended;
  assertEquals(rig.deleted.length < 3, true);
  assertEquals(rig.world.clock.pendingTimers, 0);
});

Deno.test("--terminated-pod-gc-threshold may be 0 or less, which lets all ended pods stay", () => {
  const thresholdOf = (...args: string[]) =>
    managerOptions(managerFlags(args)).controllerOptions.values["pod-garbage-collector-controller"]
      .terminatedPodThreshold;
  assertEquals(thresholdOf(), 12_500);
  assertEquals(thresholdOf("--terminated-pod-gc-threshold=0"), 0);
  assertEquals(thresholdOf("--terminated-pod-gc-threshold=-1"), -1);
  assertEquals(managerFlags(["--terminated-pod-gc-threshold=5"]).idle, []);
});

Deno.test("PodGarbageCollector: a pass begins when the caches have synced, and 20 s after each pass has ended", async () => {
  const synced = Promise.withResolvers<void>();
  const rig = new PodGcRig({ pods: [pod("p", { ...FAILED, isDeleting: true })], whenSynced: synced.promise });
  await rig.pass(100);
  assertEquals(rig.calls, []);
  synced.resolve();
  await rig.pass(1);
  assertEquals(rig.deleted, ["p"]);
  await rig.end();
  const never = new PodGcRig({ pods: [], whenSynced: new Promise(() => {}) });
  await never.end();
});

Deno.test("PodGarbageCollector: a pass deletes, in this order: ended pods that are too many; pods being deleted on nodes that are out of service; pods of nodes that are gone; pods being deleted that never had a node", async () => {
  const isDeleting = true;
  const rig = new PodGcRig({
    pods: [
      pod("unbound", { ...FAILED, isDeleting, creationTimestamp: "2026-01-01T00:00:09Z" }),
      pod("lost", { node: "gone" }),
      pod("stuck", { node: "out", isDeleting }),
      pod("ended", { ...SUCCEEDED, node: "fine", creationTimestamp: "2026-01-01T00:00:01Z" }),
      pod("well", { node: "fine" }),
    ],
    nodes: [node("fine"), node("out", { isReady: false, taint: { key: TAINT, effect: "NoExecute" } })],
    threshold: 1,
  });
  await rig.pass(59); // the node that is gone is in quarantine
  rig.calls.length = 0;
  await rig.pass(2);
  assertEquals(rig.deleted, ["ended", "stuck", "lost", "unbound"]);
  await rig.end();
});
