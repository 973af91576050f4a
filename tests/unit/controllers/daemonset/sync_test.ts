/** Which pods a DaemonSet gets and loses, updates aside. */
import { assertEquals, assertRejects } from "@std/assert";
import { type ControllerRevision, CONTROLLERREVISIONS, type Pod, PODS } from "../../../../src/api/mod.ts";
import { syncDaemonSet } from "../../../../src/controllers/daemonset/sync.ts";
import { BusyClock } from "../../base/busy_clock.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { daemonSet, DaemonSetHarness, hash, node, nodes, onAll, pod, rolling, template } from "./fixtures.ts";

const DELETING = "2026-01-01T00:00:00Z";

Deno.test("syncDaemonSet() makes the revision, and a pod for each node", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(5), revisions: [] });
  await harness.sync();
  assertEquals(harness.client.writes[0], `create controllerrevisions a/d-${hash()}`);
  assertEquals(harness.createdFor(), ["n0", "n1", "n2", "n3", "n4"]);
  const [stored] = harness.client.bodies<ControllerRevision>("create controllerrevisions");
  assertEquals(stored.metadata?.labels, { app: "d", "controller-revision-hash": hash() });
  assertEquals(harness.status, {
    desiredNumberScheduled: 5,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    numberUnavailable: 5,
    observedGeneration: 1,
  });
});

Deno.test("syncDaemonSet() writes pods with hash, generation, tolerations and the affinity to their node", async () => {
  const annotations = { "deprecated.daemonset.template.generation": "3" };
  const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: "x", operator: "Exists" }] } }];
  const tolerations = [{
    key: "node.kubernetes.io/not-ready",
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 60,
  }];
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const set = daemonSet({
    template: template("i:1", { affinity, tolerations }),
    metadata: { namespace: "a", name: "d", uid: "uid-d", annotations },
  });
  const harness = new DaemonSetHarness({ set, nodes: nodes(1), revisions: [] });
  await harness.sync();
  const [{ metadata, spec }] = harness.client.bodies<Pod>("create pods");
  const [{ metadata: made }] = harness.client.all(CONTROLLERREVISIONS);
  assertEquals(metadata?.labels, {
    app: "d",
    "pod-template-generation": "3",
    "controller-revision-hash": made?.labels?.["controller-revision-hash"],
  });
  assertEquals([metadata?.generateName, metadata?.ownerReferences?.[0].kind, spec?.nodeName], [
    "d-",
    "DaemonSet",
    undefined,
  ]);
  assertEquals(spec?.affinity?.nodeAffinity, {
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n0"] }] }],
    },
  });
  assertEquals(
    spec?.tolerations?.map(({ key, effect, tolerationSeconds }) => `${key} ${effect} ${tolerationSeconds ?? ""}`),
    [
      "node.kubernetes.io/not-ready NoExecute ",
      "node.kubernetes.io/unreachable NoExecute ",
      "node.kubernetes.io/disk-pressure NoSchedule ",
      "node.kubernetes.io/memory-pressure NoSchedule ",
      "node.kubernetes.io/pid-pressure NoSchedule ",
      "node.kubernetes.io/unschedulable NoSchedule ",
    ],
  );
});

Deno.test("syncDaemonSet() stops creating after the batch in which a creation fails", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(100) });
  harness.client.fail("create pods", statusError(403, "Forbidden", "quota"), { skip: 10 });
  await assertRejects(() => harness.sync(), Error, "quota");
  assertEquals(harness.podWrites().created, 15);
  assertEquals(harness.expectations.pending("a/d"), { add: 10, del: 0 });
});

Deno.test("syncDaemonSet() creates at most 250 pods at a time", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(300) });
  await harness.sync();
  assertEquals(harness.podWrites().created, 250);
});

Deno.test("syncDaemonSet() ignores refusals of a namespace that is being deleted, and keeps waiting", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(2) });
  harness.client.fail("create pods", namespaceTerminating());
  await harness.sync();
  assertEquals(harness.expectations.pending("a/d"), { add: 2, del: 0 });
});

Deno.test("syncDaemonSet() makes no pods without nodes", async () => {
  const harness = new DaemonSetHarness();
  await harness.sync();
  assertEquals([harness.podWrites().created, harness.status?.desiredNumberScheduled], [0, 0]);
});

Deno.test("syncDaemonSet() adds what is missing and deletes what is too much", async () => {
  const pods = [
    pod("p1", "n1"),
    pod("p2", "n2"),
    pod("p3", "n2", { creationTimestamp: ago(60) }),
    ...["p4", "p5", "p6", "p7", "p8"].map((name) =>
      pod(name, "n3", { creationTimestamp: ago(name === "p6" ? 9000 : 60) })
    ),
    pod("foreign", "n4", { isOwned: false, labels: { other: "x" } }),
  ];
  const harness = new DaemonSetHarness({ nodes: nodes(5), pods });
  await harness.sync();
  assertEquals(harness.createdFor(), ["n0", "n4"]);
  assertEquals(harness.podWrites().deleted, ["p3", "p4", "p5", "p7", "p8"]);
});

Deno.test("syncDaemonSet() keeps to nodes that node name, selector and taints leave, and clears the others", async () => {
  const taints = [{ key: "special", effect: "NoExecute" }];
  const all = [node("n0", { labels: { disk: "ssd" } }), node("n1"), node("n2", { labels: { disk: "ssd" }, taints })];
  const set = daemonSet({ template: template("i:1", { nodeSelector: { disk: "ssd" } }) });
  const harness = new DaemonSetHarness({ set, nodes: all, pods: [pod("p1", "n1"), pod("p2", "n2")] });
  await harness.sync();
  assertEquals(harness.createdFor(), ["n0"]);
  assertEquals(harness.podWrites().deleted, ["p1", "p2"]);
});

Deno.test("syncDaemonSet() keeps a pod whose node got a taint NoSchedule, and counts it as misscheduled", async () => {
  const taints = [{ key: "special", effect: "NoSchedule" }];
  const harness = new DaemonSetHarness({ nodes: [node("n0", { taints })], pods: onAll(1) });
  await harness.sync();
  assertEquals(harness.podWrites(), { created: 0, deleted: [] });
  assertEquals([harness.status?.numberMisscheduled, harness.status?.desiredNumberScheduled], [1, 0]);
});

Deno.test("syncDaemonSet() refuses a selector that selects everything", async () => {
  const harness = new DaemonSetHarness({ set: daemonSet({ selector: {} }), nodes: nodes(1) });
  await harness.sync();
  assertEquals(harness.client.calls, []);
  assertEquals(harness.recorder.lines, [
    "Warning SelectingAll a/d This daemon set is selecting all pods. A non-empty selector is required.",
  ]);
});

Deno.test("syncDaemonSet() writes nothing while the DaemonSet is being deleted, or when it is gone", async () => {
  const harness = new DaemonSetHarness({
    set: daemonSet({ metadata: { deletionTimestamp: DELETING } }),
    nodes: nodes(1),
  });
  await harness.sync();
  harness.daemonSets.replace([], "1");
  await harness.sync();
  assertEquals(harness.client.calls, []);
});

Deno.test("syncDaemonSet() deletes a failed pod, and holds the next one back for a second", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1, { phase: "Failed" }) });
  await harness.sync();
  assertEquals(harness.podWrites().deleted, ["p0"]);
  assertEquals(
    harness.recorder.lines[0],
    "Warning FailedDaemonPod a/d Found failed daemon pod a/p0 on node n0, will try to kill it",
  );
  harness.client.store(PODS, pod("p1", "n0", { phase: "Failed" }));
  harness.catchUp();
  // The backoff is counted by the generation that was observed, and so begins anew once.
  await harness.sync();
  harness.podWrites();
  harness.client.store(PODS, pod("p2", "n0", { phase: "Failed" }));
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.podWrites().deleted, []);
  await harness.world.clock.advance(999);
  assertEquals(harness.queue.length, 0);
  await harness.world.clock.advance(1);
  assertEquals(harness.queue.length, 1);
  await harness.sync();
  assertEquals(harness.podWrites().deleted, ["p2"]);

  harness.change({ minReadySeconds: 1 });
  await harness.sync();
  harness.podWrites();
  harness.client.store(PODS, pod("p3", "n0", { phase: "Failed" }));
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.podWrites().deleted, ["p3"], "it begins anew with each generation that is observed");
});

Deno.test("syncDaemonSet() fails when a pod cannot be deleted, unless it is gone, and waits for neither", async () => {
  const young = [1, 2, 3].map((i) => pod(`p${i}`, "n0", { creationTimestamp: ago(60) }));
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: [pod("p0", "n0"), ...young] });
  harness.client.fail("delete pods a/p1", statusError(404, "NotFound"), { times: 1 });
  await harness.sync();
  assertEquals(harness.expectations.pending("a/d"), { add: 0, del: 2 });
  const broken = new DaemonSetHarness({ nodes: nodes(1), pods: [pod("p0", "n0"), ...young] });
  broken.client.fail("delete pods a/p1", statusError(500, "InternalError", "broken"));
  await assertRejects(() => broken.sync(), Error, "unable to delete pods: broken");
  assertEquals([broken.expectations.pending("a/d"), broken.podWrites().deleted], [{ add: 0, del: 2 }, [
    "p1",
    "p2",
    "p3",
  ]]);
});

Deno.test("syncDaemonSet() deletes a pod that ended well", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1, { phase: "Succeeded" }) });
  await harness.sync();
  assertEquals(harness.recorder.lines, [
    "Normal SucceededDaemonPod a/d Found succeeded daemon pod a/p0 on node n0, will try to delete it",
    "Normal SuccessfulDelete a/d Deleted pod: p0",
  ]);
});

Deno.test("syncDaemonSet() deletes failed pods and all but the oldest of the others", async () => {
  const young = [1, 2].map((i) => pod(`p${i}`, "n0", { creationTimestamp: ago(60) }));
  const pods = [pod("p0", "n0"), ...young, pod("failed", "n0", { phase: "Failed" })];
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods });
  await harness.sync();
  assertEquals(harness.podWrites().deleted, ["failed", "p1", "p2"]);
});

Deno.test("syncDaemonSet() overlooks a pod at its end that is going, and makes another", async () => {
  const gone = pod("p0", "n0", { phase: "Succeeded", deletionTimestamp: DELETING });
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: [gone] });
  await harness.sync();
  assertEquals(harness.podWrites(), { created: 1, deleted: [] });
});

Deno.test("syncDaemonSet() makes no second pod while one is going, without surge", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1, { deletionTimestamp: DELETING }) });
  await harness.sync();
  assertEquals(harness.podWrites().created, 0);
  const surging = new DaemonSetHarness({
    set: daemonSet(rolling(0, 1)),
    nodes: nodes(1),
    pods: onAll(1, { deletionTimestamp: DELETING }),
  });
  await surging.sync();
  assertEquals(surging.podWrites().created, 1);
});

Deno.test("syncDaemonSet() deletes pods that wait for a node that is gone, not those bound to it", async () => {
  const harness = new DaemonSetHarness({ pods: [pod("waiting", "gone", { isBound: false }), pod("bound", "gone")] });
  await harness.sync();
  assertEquals(harness.podWrites().deleted, ["waiting"]);
});

Deno.test("syncDaemonSet() takes its turns among nodes and pods", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(60), pods: onAll(60) });
  const clock = new BusyClock();
  await syncDaemonSet("a/d", { ...harness.context, world: { ...harness.world, clock } });
  // Each node is looked at twice, each pod before creations and deletions, for the update, the history and the status.
  assertEquals(clock.turns >= 6 * 60, true, `${clock.turns} turns`);
});
