import { assertEquals, assertRejects } from "@std/assert";
import { type OwnerReference, type PersistentVolumeClaim, type Pod } from "../../../../src/api/mod.ts";
import { StatefulPodControl } from "../../../../src/controllers/statefulset/actions.ts";
import { statusError } from "../status_errors.ts";
import {
  type Beginnings,
  claimOf,
  DATA_TEMPLATE,
  pod,
  revision,
  revisionNameOf,
  statefulSet,
  StatefulSetHarness,
} from "./fixtures.ts";

const NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const VOLUMES = [{ name: "data", persistentVolumeClaim: { claimName: "data-web-0" } }];

const withClaims = (whenScaled = "Retain", whenDeleted = "Retain") =>
  statefulSet({
    volumeClaimTemplates: [DATA_TEMPLATE],
    persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
  });

function begin(beginnings: Beginnings) {
  const harness = new StatefulSetHarness(beginnings);
  return { harness, control: new StatefulPodControl(harness.context) };
}

const owners = (harness: StatefulSetHarness) =>
  harness.client.bodies<PersistentVolumeClaim>("put persistentvolumeclaims")
    .map(({ metadata }) => (metadata?.ownerReferences ?? []).map(({ kind }: OwnerReference) => kind).join());

Deno.test("repairPod() puts name label and index back, and tells so", async () => {
  const stray = pod(0, { labels: { app: "web" } });
  const { harness, control } = begin({ pods: [stray] });
  await control.repairPod(statefulSet(), harness.context.pods.get("a", "web-0")!);
  const labels = harness.client.bodies<Pod>("put pods")[0].metadata?.labels;
  assertEquals([labels?.[NAME_LABEL], labels?.["apps.kubernetes.io/pod-index"]], ["web-0", "0"]);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulUpdate a/web Update Pod web-0 in StatefulSet web successful",
  ]);
});

Deno.test("repairPod() writes nothing where nothing is wrong", async () => {
  const { harness, control } = begin({ pods: [pod(0)] });
  await control.repairPod(statefulSet(), pod(0));
  assertEquals([harness.client.calls, harness.recorder.lines], [[], []]);
});

Deno.test("repairPod() tries a conflict again with the pod of the cache, and tells once", async () => {
  const { harness, control } = begin({ pods: [pod(0, { labels: { app: "web" } })] });
  harness.client.fail("put pods", statusError(409, "Conflict"), { times: 1 });
  const repairing = control.repairPod(statefulSet(), harness.context.pods.get("a", "web-0")!);
  await harness.world.clock.advance(100);
  await repairing;
  assertEquals(harness.client.writes, ["put pods a/web-0", "put pods a/web-0"]);
  assertEquals(harness.recorder.lines.length, 1);
});

Deno.test("repairPod() is done after a conflict when the cache shows that nothing is wrong any more", async () => {
  const { harness, control } = begin({ pods: [pod(0, { labels: { app: "web" } })] });
  harness.client.fail("put pods", statusError(409, "Conflict"), { times: 1 });
  const repairing = control.repairPod(statefulSet(), harness.context.pods.get("a", "web-0")!);
  harness.pods.add(pod(0, { resourceVersion: "5000" }));
  await harness.world.clock.advance(100);
  await repairing;
  assertEquals(harness.client.writes, ["put pods a/web-0"]);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulUpdate a/web Update Pod web-0 in StatefulSet web successful",
  ]);
});

Deno.test("repairPod() gives up after four conflicts, and tells what was wrong", async () => {
  const { harness, control } = begin({ pods: [pod(0, { labels: { app: "web" } })] });
  harness.client.fail("put pods", statusError(409, "Conflict", "changed meanwhile"));
  const repairing = assertRejects(
    () => control.repairPod(statefulSet(), harness.context.pods.get("a", "web-0")!),
    Error,
    "changed",
  );
  await harness.world.clock.advance(10_000);
  await repairing;
  assertEquals(harness.client.writes.length, 4);
  assertEquals(harness.recorder.lines, [
    "Warning FailedUpdate a/web Update Pod web-0 in StatefulSet web failed error: changed meanwhile",
  ]);
});

Deno.test("repairPod() makes missing claims and volumes", async () => {
  const { harness, control } = begin({ set: withClaims(), pods: [pod(0)] });
  const repairing = control.repairPod(withClaims(), harness.context.pods.get("a", "web-0")!);
  await assertRejects(() => repairing, Error, "pod updates may not change fields");
  assertEquals(harness.client.writes, ["create persistentvolumeclaims a/data-web-0", "put pods a/web-0"]);
  assertEquals(harness.client.bodies<Pod>("put pods")[0].spec?.volumes, VOLUMES);
});

Deno.test("createPod() gives an existing claim its owner, after the pod was made", async () => {
  const { harness, control } = begin({ set: withClaims("Retain", "Delete"), claims: [claimOf(0)] });
  await control.createPod(withClaims("Retain", "Delete"), pod(0, { uid: undefined }));
  assertEquals(harness.client.writes, ["create pods a/web-0", "put persistentvolumeclaims a/data-web-0"]);
  assertEquals(owners(harness), ["StatefulSet"]);
});

Deno.test("createPod() tells of the owners before the pod, if neither could be written", async () => {
  const { harness, control } = begin({ set: withClaims("Retain", "Delete"), claims: [claimOf(0)] });
  harness.client.fail("create pods", statusError(500, "InternalError", "no pod"));
  harness.client.fail("put", statusError(500, "InternalError", "no claim"));
  await assertRejects(() => control.createPod(withClaims("Retain", "Delete"), pod(0)), Error, "no claim");
  assertEquals(harness.recorder.lines, [
    "Warning FailedUpdate a/web Update Pod web-0 in StatefulSet web failed error: could not update claim data-web-0 for delete policy ownerRefs: no claim",
  ]);
});

Deno.test("createPod() tells of a claim that could not be made, and makes no pod", async () => {
  const { harness, control } = begin({ set: withClaims() });
  harness.client.fail("create persistentvolumeclaims", statusError(403, "Forbidden", "quota"));
  await assertRejects(() => control.createPod(withClaims(), pod(0)), Error, "failed to create PVC data-web-0: quota");
  assertEquals(harness.client.writes.length, 1);
  assertEquals(harness.recorder.lines, [
    "Warning FailedCreate a/web Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: quota",
    "Warning FailedCreate a/web Create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: quota",
  ]);
});

Deno.test("deletePod() counts a pod that is gone as deleted", async () => {
  const { harness, control } = begin({});
  await control.deletePod(statefulSet(), pod(0).metadata!);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulDelete a/web Delete Pod web-0 in StatefulSet web successful",
  ]);
});

Deno.test("applyRetention() warns of a conflicting controller, and takes our references away", async () => {
  const other = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "uid-x", controller: true };
  const ours = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "uid-web", controller: true };
  const { harness, control } = begin({
    set: withClaims("Delete"),
    claims: [claimOf(0, { ownerReferences: [other, ours] })],
  });
  await control.applyRetention(withClaims("Delete"), pod(0));
  assertEquals(owners(harness), ["ConfigMap"]);
  assertEquals(harness.recorder.lines, [
    "Warning ConflictingController a/web PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a " +
    "manging controller, the retention policy is ignored for this claim",
  ]);
});

Deno.test("syncStatefulSet() gives a claim to its pod before it deletes the pod", async () => {
  const volumes = (ordinal: number) => [{ name: "data", persistentVolumeClaim: { claimName: `data-web-${ordinal}` } }];
  const pods = [0, 1].map((ordinal) => pod(ordinal, { volumes: volumes(ordinal) }));
  const set = { ...withClaims("Delete"), spec: { ...withClaims("Delete").spec!, replicas: 1 } };
  const harness = new StatefulSetHarness({
    set,
    pods,
    claims: [claimOf(0), claimOf(1)],
    revisions: [revision("i:1", 1)],
  });
  await harness.sync();
  assertEquals(harness.writes(), ["put persistentvolumeclaims a/data-web-1", "delete pods a/web-1"]);
});

Deno.test("syncStatefulSet() gives the claims of a pending pod their owners, and repairs it when it is well", async () => {
  const labels = { app: "web", "controller-revision-hash": revisionNameOf() };
  const set = withClaims("Retain", "Delete");
  const pods = [pod(0, { phase: "Pending", labels, volumes: VOLUMES })];
  const { harness } = begin({ set, pods, claims: [claimOf(0)], revisions: [revision("i:1", 1)] });
  await harness.sync();
  assertEquals([harness.writes(), owners(harness)], [["put persistentvolumeclaims a/data-web-0"], []]);
  harness.allReady();
  await harness.sync();
  assertEquals(harness.writes()[0], "put pods a/web-0");
});

Deno.test("syncStatefulSet() makes a pod whose claims go when it is scaled away, if none is about to go", async () => {
  const { harness } = begin({ set: withClaims("Delete"), revisions: [revision("i:1", 1)] });
  await harness.sync();
  assertEquals(harness.writes(), ["create persistentvolumeclaims a/data-web-0", "create pods a/web-0"]);
});

Deno.test("syncStatefulSet() makes no pod until the claim of its predecessor is gone", async () => {
  const former = { apiVersion: "v1", kind: "Pod", name: "web-0", uid: "former", controller: true };
  const claims = [claimOf(0, { ownerReferences: [former] })];
  const harness = new StatefulSetHarness({ set: withClaims("Delete"), claims, revisions: [revision("i:1", 1)] });
  await harness.sync();
  assertEquals(harness.writes(), []);
});
