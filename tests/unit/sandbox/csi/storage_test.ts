/** What simulated storage writes, as claims, volumes and attachments come and change. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  CSIDRIVERS,
  CSINODES,
  NODES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type StorageClass,
  STORAGECLASSES,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../../../src/api/mod.ts";
import { DRIVER, StorageRig } from "./rig.ts";

const PROVISIONER_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";
const ATTACHER_FINALIZER = "external-attacher/storage-kubeloop-dev";
const SELECTED_NODE = "volume.kubernetes.io/selected-node";
const PROTECTION = "kubernetes.io/pv-protection";

function fast(rest: Partial<StorageClass> = {}): StorageClass {
  return { metadata: { name: "fast" }, provisioner: DRIVER, allowVolumeExpansion: true, ...rest };
}

function nameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata?.uid}`;
}

/** A claim that a binder has bound to the volume that was made for it. */
async function boundClaim(rig: StorageRig, annotations: Record<string, string> = {}, storageClass = fast()) {
  await rig.create(STORAGECLASSES, storageClass);
  const claim = await rig.claim("c", annotations);
  const name = nameOf(claim);
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { spec: { volumeName: name } });
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { status }, "status");
  await rig.change(PERSISTENTVOLUMES, name, { status: { phase: "Bound" } }, "status");
  return name;
}

async function attachment(rig: StorageRig, persistentVolumeName: string, attacher = DRIVER): Promise<void> {
  await rig.create(NODES, { metadata: { name: "n" } });
  await rig.create(CSINODES, { metadata: { name: "n" }, spec: { drivers: [{ name: DRIVER, nodeID: "id-of-n" }] } });
  const spec = { attacher, nodeName: "n", source: { persistentVolumeName } };
  await rig.create(VOLUMEATTACHMENTS, { metadata: { name: "a" }, spec });
}

const statusOf = async (rig: StorageRig) => (await rig.find(PERSISTENTVOLUMECLAIMS, "c"))?.status ?? {};

Deno.test("SimulatedStorage: a claim that names the driver's provisioner gets a volume; if its class waits for a consumer, once a node is selected", async () => {
  await using rig = await StorageRig.start();
  const parameters = { "kubeloop.dev/topology-key": "zone", "csi.storage.k8s.io/fstype": "xfs" };
  const waits = { volumeBindingMode: "WaitForFirstConsumer", mountOptions: ["noatime"], parameters };
  await rig.create(STORAGECLASSES, fast(waits));
  await rig.create(NODES, { metadata: { name: "n", labels: { zone: "a" } } });
  const claim = await rig.claim("c");
  await rig.claim("other", { "volume.kubernetes.io/storage-provisioner": "other.example.com" });
  assertEquals(await rig.find(PERSISTENTVOLUMES, nameOf(claim)), undefined);
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { metadata: { annotations: { [SELECTED_NODE]: "n" } } });
  const { metadata, spec } = (await rig.find(PERSISTENTVOLUMES, nameOf(claim)))!;
  assertEquals(metadata?.annotations?.["pv.kubernetes.io/provisioned-by"], DRIVER);
  assertEquals(metadata?.finalizers, [PROVISIONER_FINALIZER, PROTECTION]);
  const { claimRef, ...rest } = spec!;
  assertEquals([claimRef?.namespace, claimRef?.name, claimRef?.uid], ["default", "c", claim.metadata?.uid]);
  assertEquals(rest, {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    csi: {
      driver: DRIVER,
      volumeHandle: nameOf(claim),
      fsType: "xfs",
      volumeAttributes: { "storage.kubernetes.io/csiProvisionerIdentity": DRIVER },
    },
    mountOptions: ["noatime"],
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] },
    },
    persistentVolumeReclaimPolicy: "Delete",
    storageClassName: "fast",
    volumeMode: "Filesystem",
  });
  assertEquals(rig.writes.filter((write) => write.endsWith("/persistentvolumes")).length, 1);
  assertEquals(await rig.events(), [
    'Provisioning External provisioner is provisioning volume for claim "default/c"',
    `ProvisioningSucceeded Successfully provisioned volume ${nameOf(claim)}`,
  ]);
});

Deno.test("SimulatedStorage provides for a claim whose class comes later, and for none that is bound or being deleted", async () => {
  await using rig = await StorageRig.start();
  const claim = await rig.claim("c");
  await rig.create(STORAGECLASSES, fast({ reclaimPolicy: "Retain" }));
  const volume = await rig.find(PERSISTENTVOLUMES, nameOf(claim));
  assertEquals(volume?.metadata?.finalizers, [PROTECTION]);
  await rig.change(PERSISTENTVOLUMES, nameOf(claim), { metadata: { finalizers: null } });
  await rig.client.delete(PERSISTENTVOLUMES, { name: nameOf(claim) });
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { spec: { volumeName: "v" } });
  assertEquals(await rig.find(PERSISTENTVOLUMES, nameOf(claim)), undefined);
});

Deno.test("SimulatedStorage asks for another node where the one selected is gone or has no room", async () => {
  await using rig = await StorageRig.start();
  await rig.create(STORAGECLASSES, fast({ volumeBindingMode: "WaitForFirstConsumer" }));
  await rig.create(NODES, { metadata: { name: "n" } });
  const selected = async (name: string) =>
    (await rig.find(PERSISTENTVOLUMECLAIMS, name))?.metadata?.annotations?.[SELECTED_NODE];
  await rig.claim("c", { [SELECTED_NODE]: "gone" });
  assertEquals(await selected("c"), undefined);
  const claim = await rig.claim("d", { [SELECTED_NODE]: "n", "kubeloop.dev/provision": "elsewhere,ok" });
  assertEquals(await selected("d"), undefined);
  await rig.change(PERSISTENTVOLUMECLAIMS, "d", { metadata: { annotations: { [SELECTED_NODE]: "n" } } });
  await rig.advance(1000);
  assertEquals((await rig.find(PERSISTENTVOLUMES, nameOf(claim)))?.spec?.claimRef?.name, "d");
  const failures = (await rig.events()).filter((line) => line.startsWith("ProvisioningFailed"));
  assertEquals(failures, [
    'ProvisioningFailed nodes "gone" not found',
    'ProvisioningFailed failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = simulated failure',
  ]);
});

Deno.test("SimulatedStorage: a volume of the driver is deleted once it is released, attached nowhere and not to be retained", async () => {
  await using rig = await StorageRig.start();
  const name = await boundClaim(
    rig,
    { "kubeloop.dev/delete-volume": "fail" },
    fast({
      metadata: { name: "fast", annotations: { "kubeloop.dev/delete-volume": "1s" } },
    }),
  );
  await attachment(rig, name);
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", {
    metadata: { finalizers: null, annotations: { "kubeloop.dev/delete-volume": null } },
  });
  await rig.client.delete(PERSISTENTVOLUMECLAIMS, { namespace: "default", name: "c" });
  await rig.change(PERSISTENTVOLUMES, name, { status: { phase: "Released" } }, "status");
  await rig.advance(5000);
  assertEquals((await rig.find(PERSISTENTVOLUMES, name))?.metadata?.deletionTimestamp, undefined);
  await rig.client.delete(VOLUMEATTACHMENTS, { name: "a" });
  await rig.advance(2);
  assertEquals((await rig.find(PERSISTENTVOLUMES, name))?.metadata?.deletionTimestamp, undefined, "it takes a second");
  await rig.advance(1000);
  const { deletionTimestamp, finalizers } = (await rig.find(PERSISTENTVOLUMES, name))!.metadata!;
  assertEquals([deletionTimestamp !== undefined, finalizers], [true, [PROTECTION]]);
  assertStringIncludes((await rig.events()).join(), "is still attached to node n");
});

Deno.test("SimulatedStorage guards volumes that are to be deleted, and those alone", async () => {
  await using rig = await StorageRig.start();
  const name = await boundClaim(rig);
  const finalizers = async () => (await rig.find(PERSISTENTVOLUMES, name))?.metadata?.finalizers;
  await rig.change(PERSISTENTVOLUMES, name, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
  assertEquals(await finalizers(), [PROTECTION]);
  await rig.change(PERSISTENTVOLUMES, name, { spec: { persistentVolumeReclaimPolicy: "Delete" } });
  assertEquals(await finalizers(), [PROVISIONER_FINALIZER, PROTECTION]);
});

Deno.test("SimulatedStorage: an attachment of the driver is attached, and detached before it is deleted", async () => {
  await using rig = await StorageRig.start();
  const name = await boundClaim(rig, { "kubeloop.dev/attach": "fail,2s", "kubeloop.dev/detach": "fail:busy,ok" });
  await attachment(rig, name);
  const seen = async () => (await rig.find(VOLUMEATTACHMENTS, "a"))!;
  const first: VolumeAttachment = await seen();
  assertEquals(first.metadata?.finalizers, [ATTACHER_FINALIZER]);
  assertEquals(first.metadata?.annotations, { "csi.alpha.kubernetes.io/node-id": "id-of-n" });
  assertEquals([first.status?.attached, first.status?.attachError?.message], [
    false,
    "rpc error: code = Internal desc = simulated failure",
  ]);
  await rig.advance(2500);
  assertEquals((await seen()).status?.attached, false);
  await rig.advance(1000);
  assertEquals((await seen()).status, { attached: true });
  assertEquals((await rig.find(PERSISTENTVOLUMES, name))?.metadata?.finalizers?.includes(ATTACHER_FINALIZER), true);
  await rig.client.delete(VOLUMEATTACHMENTS, { name: "a" });
  await rig.advance(1);
  assertEquals((await seen()).status?.detachError?.message, "rpc error: code = Internal desc = busy");
  await rig.advance(1001);
  assertEquals(await rig.find(VOLUMEATTACHMENTS, "a"), undefined);
  await rig.client.delete(PERSISTENTVOLUMES, { name });
  await rig.advance(1);
  assertEquals((await rig.find(PERSISTENTVOLUMES, name))?.metadata?.finalizers?.includes(ATTACHER_FINALIZER), false);
});

Deno.test("SimulatedStorage attaches nothing to a node without the driver, nothing that is not there, and nothing of other drivers", async () => {
  await using rig = await StorageRig.start();
  const message = async () => (await rig.find(VOLUMEATTACHMENTS, "a"))?.status?.attachError?.message;
  await attachment(rig, "no-such-volume");
  assertEquals(await message(), 'persistentvolume "no-such-volume" not found');
  await rig.client.delete(VOLUMEATTACHMENTS, { name: "a" });
  const name = await boundClaim(rig);
  await rig.change(CSINODES, "n", { spec: { drivers: [] } });
  const spec = { attacher: DRIVER, nodeName: "n", source: { persistentVolumeName: name } };
  await rig.create(VOLUMEATTACHMENTS, { metadata: { name: "a" }, spec });
  assertEquals(await message(), `CSINode n does not contain driver ${DRIVER}`);
  await rig.create(VOLUMEATTACHMENTS, { metadata: { name: "b" }, spec: { ...spec, attacher: "other.example.com" } });
  assertEquals((await rig.find(VOLUMEATTACHMENTS, "b"))?.status, { attached: false });
});

async function ask(rig: StorageRig, storage: string): Promise<void> {
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { spec: { resources: { requests: { storage } } } });
}

Deno.test("SimulatedStorage: a claim that requests more than it has gets a larger volume; its status says what its node must do about that", async () => {
  await using rig = await StorageRig.start();
  const name = await boundClaim(rig, { "kubeloop.dev/expand": "1s" });
  await ask(rig, "2Gi");
  const typesOf = ({ conditions }: { conditions?: { type: string }[] }) => conditions?.map(({ type }) => type);
  const before = await statusOf(rig);
  assertEquals([typesOf(before), before.allocatedResources, before.allocatedResourceStatuses], [
    ["Resizing"],
    { storage: "2Gi" },
    { storage: "ControllerResizeInProgress" },
  ]);
  await ask(rig, "3Gi");
  await rig.advance(1000);
  const after = await statusOf(rig);
  assertEquals([typesOf(after), after.allocatedResources, after.allocatedResourceStatuses, after.capacity], [
    ["FileSystemResizePending"],
    { storage: "2Gi" },
    { storage: "NodeResizePending" },
    { storage: "1Gi" },
  ]);
  const volume: PersistentVolume = (await rig.find(PERSISTENTVOLUMES, name))!;
  assertEquals(volume.spec?.capacity, { storage: "2Gi" });
  assertEquals(volume.metadata?.annotations?.["volume.alpha.kubernetes.io/pre-resize-capacity"], "1Gi");
  const done = { conditions: null, allocatedResourceStatuses: null, capacity: { storage: "2Gi" } };
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { status: done }, "status");
  await rig.advance(1000);
  assertEquals((await rig.find(PERSISTENTVOLUMES, name))?.spec?.capacity, { storage: "3Gi" });
});

Deno.test("SimulatedStorage has volumes without file systems ready at once, and says what can never grow", async () => {
  await using rig = await StorageRig.start();
  await rig.create(STORAGECLASSES, fast());
  await rig.create(PERSISTENTVOLUMECLAIMS, {
    metadata: {
      name: "c",
      annotations: {
        "volume.kubernetes.io/storage-provisioner": DRIVER,
        "kubeloop.dev/expand": "infeasible:too large,ok",
      },
    },
    spec: {
      storageClassName: "fast",
      volumeMode: "Block",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    },
  });
  const name = nameOf((await rig.find(PERSISTENTVOLUMECLAIMS, "c"))!);
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { spec: { volumeName: name } });
  await rig.change(PERSISTENTVOLUMECLAIMS, "c", { status: { phase: "Bound", capacity: { storage: "1Gi" } } }, "status");
  await ask(rig, "2Gi");
  const failed = await statusOf(rig);
  assertEquals(failed.allocatedResourceStatuses, { storage: "ControllerResizeInfeasible" });
  assertEquals(failed.conditions?.map(({ message }) => message), [
    "failed to expand pvc with rpc error: code = InvalidArgument desc = too large",
  ]);
  await rig.advance(1001);
  const { conditions, allocatedResourceStatuses, capacity } = await statusOf(rig);
  assertEquals([conditions, allocatedResourceStatuses, capacity], [undefined, undefined, { storage: "2Gi" }]);
  const reasons = (await rig.events()).map((line) => line.split(" ")[0]).filter((reason) => /Resiz/.test(reason));
  assertEquals(reasons, ["Resizing", "VolumeResizeFailed", "VolumeResizeSuccessful"]);
});

Deno.test("SimulatedStorage: failed operations are repeated, and slow ones do not delay others", async () => {
  await using rig = await StorageRig.start();
  await rig.create(STORAGECLASSES, fast());
  for (let i = 0; i < 30; i++) await rig.claim(`never-${i}`, { "kubeloop.dev/provision": "never" });
  const failing = await rig.claim("failing", { "kubeloop.dev/provision": "fail,fail:still not,ok" });
  const other = await rig.claim("other");
  assertEquals((await rig.find(PERSISTENTVOLUMES, nameOf(other)))?.spec?.claimRef?.name, "other");
  await rig.advance(2990);
  assertEquals(await rig.find(PERSISTENTVOLUMES, nameOf(failing)), undefined);
  await rig.advance(20);
  assertEquals((await rig.find(PERSISTENTVOLUMES, nameOf(failing)))?.spec?.claimRef?.name, "failing");
});

Deno.test("SimulatedStorage: existing objects are adopted as they are", async () => {
  await using rig = await StorageRig.start();
  assertEquals((await rig.find(CSIDRIVERS, DRIVER))?.spec.attachRequired, true);
  const writes = rig.writes.length;
  const name = await boundClaim(rig);
  await rig.create(PERSISTENTVOLUMES, {
    metadata: { name: "manual" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: { driver: DRIVER, volumeHandle: "h" } },
  });
  assertEquals(rig.writes.slice(writes), ["POST /api/v1/persistentvolumes"], `only ${name} is new`);
});

Deno.test("SimulatedStorage: when run resolves, no timer and no request of it is left", async () => {
  const rig = await StorageRig.start();
  await rig.create(STORAGECLASSES, fast());
  await rig.claim("c", { "kubeloop.dev/provision": "1h" });
  await rig[Symbol.asyncDispose](); // asserts that no timer is left
  const { length } = rig.writes;
  await rig.advance(7_200_000);
  assertEquals(rig.writes.length, length);
});
