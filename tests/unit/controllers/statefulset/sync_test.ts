import { assertEquals, assertRejects } from "@std/assert";
import { type KubeObject, PERSISTENTVOLUMECLAIMS, type Pod, PODS, STATEFULSETS } from "../../../../src/api/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import { statusError } from "../status_errors.ts";
import {
  claimOf,
  DATA_TEMPLATE,
  pod,
  revision,
  revisionNameOf,
  statefulSet,
  StatefulSetHarness,
  template,
} from "./fixtures.ts";

const CURRENT = revisionNameOf();
const NEXT = revisionNameOf("i:2");
const SETTLED = {
  observedGeneration: 1,
  replicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  currentReplicas: 3,
  updatedReplicas: 3,
  currentRevision: CURRENT,
  updateRevision: CURRENT,
  collisionCount: 0,
};

/** A set that is all right, with the pods that it has. */
function settled(spec: Parameters<typeof statefulSet>[0] = {}, pods: Pod[] = [pod(0), pod(1), pod(2)]) {
  const set = statefulSet({ status: SETTLED, ...spec });
  return new StatefulSetHarness({ set, pods, revisions: [revision("i:1", 1)] });
}

Deno.test("syncStatefulSet() makes the revision, the claims and the first pod of an ordered set, the next when it is well", async () => {
  const harness = new StatefulSetHarness({ set: statefulSet({ volumeClaimTemplates: [DATA_TEMPLATE] }) });
  await harness.sync();
  const first = [
    `create controllerrevisions a/${CURRENT}`,
    "create persistentvolumeclaims a/data-web-0",
    "create pods a/web-0",
  ];
  assertEquals(harness.writes(), first);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulCreate a/web Create Claim data-web-0 Pod web-0 in StatefulSet web success",
    "Normal SuccessfulCreate a/web Create Pod web-0 in StatefulSet web successful",
  ]);
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.writes(), [], "the first pod is not well");
  harness.allReady();
  await harness.sync();
  assertEquals(harness.writes(), ["create persistentvolumeclaims a/data-web-1", "create pods a/web-1"]);
});

Deno.test("syncStatefulSet() makes all pods of a parallel set at once", async () => {
  const harness = new StatefulSetHarness({ set: statefulSet({ podManagementPolicy: "Parallel" }) });
  await harness.sync();
  assertEquals(harness.podNames, ["web-0", "web-1", "web-2"]);
});

Deno.test("syncStatefulSet() writes pods with name, labels, owner, host name, subdomain and volumes", async () => {
  const set = statefulSet({ volumeClaimTemplates: [DATA_TEMPLATE], ordinals: { start: 2 }, replicas: 1 });
  const harness = new StatefulSetHarness({ set });
  await harness.sync();
  const [{ metadata, spec }] = harness.client.bodies<Pod>("create pods");
  assertEquals(metadata, {
    namespace: "a",
    name: "web-2",
    generateName: "web-",
    labels: {
      app: "web",
      "statefulset.kubernetes.io/pod-name": "web-2",
      "apps.kubernetes.io/pod-index": "2",
      "controller-revision-hash": CURRENT,
    },
    annotations: undefined,
    finalizers: undefined,
    ownerReferences: [{
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      name: "web",
      uid: "uid-web",
      controller: true,
      blockOwnerDeletion: true,
    }],
  });
  assertEquals([spec?.hostname, spec?.subdomain], ["web-2", "web"]);
  assertEquals(spec?.volumes, [{ name: "data", persistentVolumeClaim: { claimName: "data-web-2" } }]);
  const claim = harness.client.find(PERSISTENTVOLUMECLAIMS, "a/data-web-2");
  assertEquals(claim?.metadata?.labels, { kept: "yes", app: "web" });
});

Deno.test("syncStatefulSet() numbers pods from the start ordinal", async () => {
  const harness = new StatefulSetHarness({
    set: statefulSet({ ordinals: { start: 2 }, podManagementPolicy: "Parallel" }),
  });
  await harness.sync();
  assertEquals(harness.podNames, ["web-2", "web-3", "web-4"]);
});

Deno.test("syncStatefulSet() writes nothing for a set that is all right", async () => {
  const harness = settled();
  await harness.sync();
  assertEquals(harness.client.calls, []);
});

Deno.test("syncStatefulSet() scales an ordered set down from the highest number, one pod at a time", async () => {
  const harness = settled();
  harness.change({ replicas: 0 });
  for (const name of ["web-2", "web-1", "web-0"]) {
    await harness.sync();
    assertEquals(harness.writes(), [`delete pods a/${name}`]);
    harness.catchUp();
  }
  assertEquals(
    harness.recorder.lines.at(-1),
    "Normal SuccessfulDelete a/web Delete Pod web-0 in StatefulSet web successful",
  );
});

Deno.test("syncStatefulSet() waits for a pod that is going before it deletes the next", async () => {
  const pods = [pod(0), pod(1), pod(2, { deletionTimestamp: "2026-01-01T00:00:00Z" })];
  const harness = settled({ replicas: 0 }, pods);
  await harness.sync();
  assertEquals(harness.writes(), []);
});

Deno.test("syncStatefulSet() deletes all unwanted pods of a parallel set in one sync", async () => {
  const pods = Array.from({ length: 501 }, (_, i) => pod(i));
  const harness = settled({ replicas: 0, podManagementPolicy: "Parallel" }, pods);
  await harness.sync();
  assertEquals(harness.podNames, []);
});

for (const phase of ["Failed", "Succeeded"]) {
  Deno.test(`syncStatefulSet() deletes a pod that ended as ${phase}, and makes it anew in the next sync`, async () => {
    const harness = settled({}, [pod(0, { phase }), pod(1), pod(2)]);
    await harness.sync();
    assertEquals(harness.writes(), ["delete pods a/web-0"]);
    harness.catchUp();
    await harness.sync();
    assertEquals(harness.writes(), ["create pods a/web-0"]);
  });
}

Deno.test("syncStatefulSet() fails when a pod that ended cannot be deleted", async () => {
  const harness = settled({}, [pod(0, { phase: "Failed" }), pod(1), pod(2)]);
  harness.client.fail("delete pods", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
  assertEquals(harness.recorder.lines, [
    "Warning FailedDelete a/web Delete Pod web-0 in StatefulSet web failed error: broken",
  ]);
});

Deno.test("syncStatefulSet() writes the status although a pod could not be created", async () => {
  const harness = settled({ status: { replicas: 0 } }, [pod(0)]);
  harness.client.fail("create pods", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
  assertEquals(harness.recorder.lines, [
    "Warning FailedCreate a/web Create Pod web-1 in StatefulSet web failed error: broken",
  ]);
  assertEquals(harness.status?.replicas, 1);
});

Deno.test("syncStatefulSet() makes no event of a pod that exists already", async () => {
  const harness = settled({}, [pod(0)]);
  harness.client.store(PODS, pod(1, { isOwned: false, labels: {} }));
  await assertRejects(() => harness.sync(), Error, "already exists");
  assertEquals(harness.recorder.lines, []);
});

Deno.test("syncStatefulSet() rolls out from the highest number, each pod when the one before is well", async () => {
  const harness = settled();
  harness.change({ template: template("i:2") });
  await harness.sync();
  assertEquals(harness.writes(), [`create controllerrevisions a/${NEXT}`, "delete pods a/web-2"]);
  const { updatedReplicas: _, ...settledStatus } = SETTLED;
  assertEquals(harness.status, {
    ...settledStatus,
    observedGeneration: 2,
    currentReplicas: 2,
    updateRevision: NEXT,
  });
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.writes(), ["create pods a/web-2"]);
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.writes(), [], "the new pod is not well");
  for (const name of ["web-1", "web-0"]) {
    harness.allReady();
    await harness.sync();
    assertEquals(harness.writes(), [`delete pods a/${name}`]);
    harness.catchUp();
    await harness.sync();
    assertEquals(harness.writes(), [`create pods a/${name}`]);
  }
  harness.allReady();
  await harness.sync();
  assertEquals(harness.status, { ...SETTLED, observedGeneration: 2, currentRevision: NEXT, updateRevision: NEXT });
});

Deno.test("syncStatefulSet() counts a pod out of the current ones only if it could be deleted", async () => {
  const harness = settled();
  harness.change({ template: template("i:2") });
  harness.client.fail("delete pods", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
  assertEquals(harness.status?.currentReplicas, 3);
});

Deno.test("syncStatefulSet() leaves pods below the partition as they are, also when they are made anew", async () => {
  const harness = settled();
  const rollingUpdate = { partition: 2 };
  harness.change({ template: template("i:2"), updateStrategy: { type: "RollingUpdate", rollingUpdate } });
  for (let i = 0; i < 4; i++) await harness.round();
  const image = (name: string) => harness.client.find(PODS, `a/${name}`)?.spec?.containers[0].image;
  assertEquals(["web-0", "web-1", "web-2"].map(image), ["i:1", "i:1", "i:2"]);
  await harness.client.delete(PODS, { namespace: "a", name: "web-0" });
  await harness.round();
  assertEquals(image("web-0"), "i:1");
  assertEquals(harness.client.find(PODS, "a/web-0")?.metadata?.labels?.["controller-revision-hash"], CURRENT);
  assertEquals(harness.status?.currentRevision, CURRENT);
});

Deno.test("syncStatefulSet() deletes nothing with the strategy OnDelete; what is deleted comes back new", async () => {
  const harness = settled();
  harness.change({ template: template("i:2"), updateStrategy: { type: "OnDelete" } });
  await harness.sync();
  assertEquals(harness.writes(), [`create controllerrevisions a/${NEXT}`]);
  await harness.client.delete(PODS, { namespace: "a", name: "web-1" });
  await harness.round();
  assertEquals(harness.client.find(PODS, "a/web-1")?.spec?.containers[0].image, "i:2");
});

Deno.test("syncStatefulSet() acts only on caches that show its own writes", async () => {
  const harness = new StatefulSetHarness();
  await harness.sync();
  await assertRejects(() => harness.sync(), StaleCacheError);
  harness.catchUp();
  await harness.sync();
});

Deno.test("syncStatefulSet() waits until pods have been ready for minReadySeconds", async () => {
  const pods = [0, 1, 2].map((i) => pod(i, { readyFor: 10 }));
  const harness = settled({ minReadySeconds: 30, image: "i:2" }, pods);
  await harness.sync();
  assertEquals(harness.writes(), [`create controllerrevisions a/${NEXT}`]);
  assertEquals(harness.status?.availableReplicas, 0);
  await harness.world.clock.advance(19_999);
  assertEquals(harness.queue.length, 0);
  await harness.world.clock.advance(1);
  assertEquals(harness.queue.length, 1);
});

Deno.test("syncStatefulSet() does not come back when all ready pods are available", async () => {
  const harness = settled({ minReadySeconds: 30 });
  await harness.sync();
  await harness.world.clock.advance(60_000);
  assertEquals([harness.queue.length, harness.client.calls], [0, []]);
});

Deno.test("syncStatefulSet() fails with what went wrong with the pods, though the revisions' history fails too", async () => {
  const revisions = [revision("i:1", 2), revision("i:9", 1, { uid: "uid-9" })];
  const set = statefulSet({ revisionHistoryLimit: 0 });
  const harness = new StatefulSetHarness({ set, revisions });
  harness.client.fail("create pods", statusError(500, "InternalError", "no pod"));
  harness.client.fail("delete controllerrevisions", statusError(500, "InternalError", "no end"));
  await assertRejects(() => harness.sync(), Error, "[no pod, no end]");
});

Deno.test("syncStatefulSet() makes a claim again that a pending pod waits for", async () => {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data-web-0" } }];
  const pods = [pod(0, { phase: "Pending", readyFor: null, volumes })];
  const harness = settled({ volumeClaimTemplates: [DATA_TEMPLATE] }, pods);
  await harness.sync();
  assertEquals(harness.writes(), ["create persistentvolumeclaims a/data-web-0"]);
});

Deno.test("syncStatefulSet() makes no pod while its claim is being deleted", async () => {
  const claim = claimOf(0, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const set = statefulSet({ volumeClaimTemplates: [DATA_TEMPLATE] });
  const harness = new StatefulSetHarness({ set, claims: [claim], revisions: [revision("i:1", 1)] });
  await assertRejects(() => harness.sync(), Error, "pvc data-web-0 is being deleted");
  assertEquals(harness.writes(), []);
  assertEquals(harness.recorder.lines, [
    "Warning FailedCreate a/web Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted",
  ]);
});

Deno.test("syncStatefulSet() releases a pod of another name and adopts an orphan of its own", async () => {
  const pods = [pod(0), pod(1), pod("xweb-2"), pod(2, { isOwned: false })];
  const harness = settled({}, pods);
  await harness.sync();
  assertEquals(harness.writes(), ["patch pods a/xweb-2", "patch pods a/web-2"]);
});

Deno.test("syncStatefulSet() adopts the orphans among its revisions before anything else, after a look at the set", async () => {
  const orphan = { ownerReferences: undefined };
  const revisions = [revision("i:1", 1, orphan), revision("i:9", 2, { ...orphan, labels: { app: "y" } })];
  const harness = new StatefulSetHarness({ pods: [pod(0, { isOwned: false })], revisions });
  await harness.sync();
  assertEquals(harness.client.calls.slice(0, 4).map(({ text }) => text), [
    "get statefulsets a/web",
    `patch controllerrevisions a/${CURRENT}`,
    "get statefulsets a/web",
    "patch pods a/web-0",
  ]);
});

Deno.test("syncStatefulSet() repairs a pod that runs", async () => {
  const { metadata } = pod(1);
  const { "statefulset.kubernetes.io/pod-name": _, ...labels } = metadata!.labels!;
  const harness = settled({}, [pod(0), pod(1, { labels }), pod(2)]);
  await harness.sync();
  assertEquals(harness.writes(), ["put pods a/web-1"]);
});

Deno.test("syncStatefulSet() heeds maxUnavailable only where the feature is on, and shows it then", async () => {
  const rollingUpdate = { partition: 0, maxUnavailable: 2 };
  const begin = (type: string, maxUnavailable: boolean) => {
    const set = statefulSet({ image: "i:2", status: SETTLED, updateStrategy: { type, rollingUpdate } });
    const revisions = [revision("i:1", 1), revision("i:2", 2)];
    const pods = [pod(0), pod(1), pod(2, { deletionTimestamp: "2026-01-01T00:00:00Z" })];
    return new StatefulSetHarness({
      set: { ...set, spec: { ...set.spec!, podManagementPolicy: "Parallel" } },
      pods,
      revisions,
    }, {
      maxUnavailable,
    });
  };
  const gauge = ({ metrics }: StatefulSetHarness, name: string) =>
    metrics.gauge({ name: `statefulset_controller_statefulset_${name}`, help: "" }).value(["a", "web", "Parallel"]);
  const off = begin("RollingUpdate", false);
  await off.sync();
  assertEquals(off.writes(), [], "it waits for the pod that is going");
  const on = begin("RollingUpdate", true);
  await on.sync();
  assertEquals(on.writes(), ["delete pods a/web-1"]);
  assertEquals([gauge(on, "max_unavailable"), gauge(on, "unavailable_replicas")], [2, 1]);
  const never = begin("OnDelete", true);
  await never.sync();
  assertEquals([never.writes(), gauge(never, "max_unavailable"), gauge(never, "unavailable_replicas")], [[], 2, 0]);
});

Deno.test("syncStatefulSet() only counts while the set is being deleted", async () => {
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] };
  const harness = settled({ metadata }, [pod(0), pod(1, { phase: "Failed" })]);
  await harness.sync();
  assertEquals(harness.client.writes, ["put statefulsets/status a/web"]);
  assertEquals(harness.status?.replicas, 2);
});

Deno.test("syncStatefulSet() does nothing for a set that is gone, or whose selector cannot be read", async () => {
  const gone = new StatefulSetHarness();
  gone.sets.replace([], "1");
  await gone.sync();
  const matchExpressions = [{ key: "app", operator: "Like", values: ["web"] }];
  const odd = new StatefulSetHarness({ set: statefulSet({ selector: { matchExpressions } }) });
  await odd.sync();
  assertEquals([gone.client.calls, odd.client.calls], [[], []]);
});

Deno.test("syncStatefulSet() writes the status of no other set that has its name by the time of a conflict", async () => {
  for (const [uid, count] of [["uid-web", 2], ["another", 1]] as const) {
    const harness = settled({ status: { replicas: 0 } });
    harness.client.fail("put statefulsets/status", statusError(409, "Conflict"), { times: 1 });
    const syncing = harness.sync().catch(({ message }) => message);
    const resourceVersion = harness.client.store(STATEFULSETS, statefulSet({ metadata: { uid } }))[0].metadata
      ?.resourceVersion;
    harness.sets.add(statefulSet({ metadata: { uid, resourceVersion } }));
    await harness.world.clock.advance(100);
    const message = "Cannot write the status of StatefulSet a/web: it was replaced by another one";
    assertEquals(await syncing, uid === "another" ? message : undefined);
    const versions = harness.client.bodies<KubeObject>("put statefulsets/status").map(({ metadata }) =>
      metadata?.resourceVersion
    );
    assertEquals([versions.length, versions[1]], [count, uid === "another" ? undefined : resourceVersion]);
  }
});

Deno.test("syncStatefulSet() writes the status over the set of the cache after a conflict", async () => {
  const harness = settled({ status: { replicas: 0 } });
  harness.client.fail("put statefulsets/status", statusError(409, "Conflict"), { times: 2 });
  const syncing = harness.sync();
  await harness.world.clock.advance(100);
  await syncing;
  assertEquals(harness.client.writes.length, 3);
  assertEquals(harness.client.find(STATEFULSETS, "a/web")?.status, SETTLED);
});
