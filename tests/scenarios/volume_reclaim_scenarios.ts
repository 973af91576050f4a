/** Volumes that are made for claims, and what becomes of them once their claims are gone. */
import {
  EVENTS,
  type PersistentVolume,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  STORAGECLASSES,
} from "../../src/api/mod.ts";
import {
  areBound,
  claimIs,
  lookedAt,
  makeClaim,
  makeClass,
  makeVolume,
  noteVolume,
  noteVolumes,
  ownClass,
  refTo,
  removeClaim,
  untilTold,
  volumeIs,
} from "./binding_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { clusterName, patchCluster, podWithClaims, removeAtOnce, untilCluster } from "./volume_kit.ts";

const MADE_BY = "pv.kubernetes.io/provisioned-by";
const HOST_PATH = "kubernetes.io/host-path";

type Spec = NonNullable<PersistentVolume["spec"]>;

/** Lets a claim bind a volume, and go. */
async function leaveBehind(
  kit: Kit,
  parts: Partial<Spec> & { metadata?: PersistentVolume["metadata"]; storage?: string },
): Promise<void> {
  await makeVolume(kit, "v", parts);
  await volumeIs(kit, "v", "Available");
  await makeClaim(kit, "a");
  await areBound(kit, "a", "v");
  await removeClaim(kit, "a");
}

/** What a volume says once it has failed. */
async function hasFailed(kit: Kit, reason: string): Promise<void> {
  await volumeIs(kit, "v", "Failed");
  await untilTold(kit, "v", reason);
  await noteVolumes(kit, "v");
}

/** Plays the kubelet of the pod that recycles a volume. */
async function endRecycler(kit: Kit, status: Record<string, string>): Promise<void> {
  const ref = { namespace: "default", name: `recycler-for-${clusterName(kit, "v")}` };
  await untilCluster(kit, PERSISTENTVOLUMES, "v", async () => {
    const { items } = await kit.client.list(PODS, { namespace: "default" });
    return items.some(({ metadata }) => metadata?.name === ref.name);
  });
  await kit.client.patch(PODS, ref, { type: "merge", body: { status }, subresource: "status" });
}

const RECLAIMED: readonly Scenario[] = [
  {
    name: "vr-folder-is-deleted",
    run: async (kit) => {
      const path = `/tmp/kubeloop-nothing/${kit.namespace}`;
      await leaveBehind(kit, { hostPath: { path }, persistentVolumeReclaimPolicy: "Delete" });
      await volumeIs(kit, "v", undefined);
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vr-folder-elsewhere-is-not-deleted",
    run: async (kit) => {
      await leaveBehind(kit, { hostPath: { path: "/var/nothing/of/ours" }, persistentVolumeReclaimPolicy: "Delete" });
      await hasFailed(kit, "VolumeFailedDelete");
    },
  },
  {
    name: "vr-nobody-deletes-nfs",
    run: async (kit) => {
      const nfs = { server: "nfs.example.com", path: "/" };
      await leaveBehind(kit, { nfs, persistentVolumeReclaimPolicy: "Delete" });
      await hasFailed(kit, "VolumeFailedDelete");
    },
  },
  {
    name: "vr-plugin-that-there-is-not",
    run: async (kit) => {
      await leaveBehind(kit, {
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { [MADE_BY]: "kubernetes.io/foo" } },
      });
      await hasFailed(kit, "VolumeFailedDelete");
    },
  },
  {
    name: "vr-made-by-a-plugin-of-another-type",
    run: async (kit) => {
      await leaveBehind(kit, {
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { [MADE_BY]: HOST_PATH } },
      });
      await hasFailed(kit, "VolumeFailedDelete");
    },
  },
  {
    name: "vr-failed-volume-is-retained-after-all",
    run: async (kit) => {
      const nfs = { server: "nfs.example.com", path: "/" };
      await leaveBehind(kit, { nfs, persistentVolumeReclaimPolicy: "Delete" });
      await volumeIs(kit, "v", "Failed");
      await untilTold(kit, "v", "VolumeFailedDelete");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", {
        spec: { persistentVolumeReclaimPolicy: "Retain", claimRef: null },
      });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "b");
      await areBound(kit, "b", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vr-left-to-an-external-provisioner",
    run: async (kit) => {
      await leaveBehind(kit, {
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { [MADE_BY]: "vendor.example.com/x" } },
      });
      await volumeIs(kit, "v", "Released");
      await lookedAt(kit);
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vr-finalizers-of-plugins",
    run: async (kit) => {
      const finalizers = ["kubernetes.io/pv-controller", "external-provisioner.volume.kubernetes.io/finalizer"];
      const rows = { gce: "kubernetes.io/gce-pd", foo: "kubernetes.io/foo", vendor: "vendor.example.com/v" };
      for (const [name, provisioner] of Object.entries(rows)) {
        await makeVolume(kit, name, { metadata: { finalizers, annotations: { [MADE_BY]: provisioner } } });
        await volumeIs(kit, name, "Available");
      }
      await makeVolume(kit, "deleted", {
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { [MADE_BY]: "kubernetes.io/foo" } },
      });
      await volumeIs(kit, "deleted", "Available");
      await noteVolumes(kit, ...Object.keys(rows), "deleted");
    },
  },
  {
    name: "vr-recycled",
    run: async (kit) => {
      const hostPath = { path: `/tmp/kubeloop-nothing/${kit.namespace}` };
      await leaveBehind(kit, { hostPath, persistentVolumeReclaimPolicy: "Recycle", storage: "3Gi" });
      await endRecycler(kit, { phase: "Succeeded" });
      await volumeIs(kit, "v", "Available");
      await untilTold(kit, "v", "VolumeRecycled");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vr-recycler-fails",
    run: async (kit) => {
      const nfs = { server: "nfs.example.com", path: "/" };
      await leaveBehind(kit, { nfs, persistentVolumeReclaimPolicy: "Recycle" });
      await endRecycler(kit, { phase: "Failed", message: "it is full of sand" });
      await volumeIs(kit, "v", "Failed");
      await untilTold(kit, "v", "VolumeFailedRecycle");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec: { persistentVolumeReclaimPolicy: "Retain" } });
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vr-nobody-recycles-csi",
    run: async (kit) => {
      await leaveBehind(kit, { persistentVolumeReclaimPolicy: "Recycle" });
      await hasFailed(kit, "VolumeFailedRecycle");
    },
  },
  {
    name: "vr-not-recycled-while-it-is-used",
    run: async (kit) => {
      const hostPath = { path: `/tmp/kubeloop-nothing/${kit.namespace}` };
      await makeVolume(kit, "v", { hostPath, persistentVolumeReclaimPolicy: "Recycle" });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await kit.create(PODS, podWithClaims("p", ["a"], { isScheduled: false }));
      await removeClaim(kit, "a");
      await untilTold(kit, "v", "VolumeFailedRecycle");
      await volumeIs(kit, "v", "Released");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec: { persistentVolumeReclaimPolicy: "Retain" } });
      await removeAtOnce(kit, "p");
      await noteVolumes(kit, "v");
    },
  },
];

/** Waits until the manager has told something of this kind of a claim. */
const told = (kit: Kit, reason: string, text: string) =>
  kit.untilAll(
    EVENTS,
    `one says ${reason}`,
    (events) => events.some((event) => event.reason === reason && event.message?.includes(text)),
  );

const PROVISIONED: readonly Scenario[] = [
  {
    name: "vr-external-provisioner-is-asked",
    run: async (kit) => {
      await makeClass(kit, { provisioner: "vendor.example.com/v" });
      await makeClaim(kit, "a");
      await kit.untilEvent("ExternalProvisioning");
      await makeVolume(kit, "v", {
        claimRef: refTo(kit, "a", (await kit.get(PERSISTENTVOLUMECLAIMS, "a")).metadata!.uid),
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { [MADE_BY]: "vendor.example.com/v" } },
      });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vr-class-of-a-migrated-plugin",
    run: async (kit) => {
      await makeClass(kit, { provisioner: "kubernetes.io/aws-ebs" });
      await makeClaim(kit, "a");
      await kit.untilEvent("ExternalProvisioning");
    },
  },
  {
    name: "vr-claims-of-migrated-plugins",
    run: async (kit) => {
      const old = { "volume.beta.kubernetes.io/storage-provisioner": "kubernetes.io/cinder" };
      const stale = {
        "volume.kubernetes.io/storage-provisioner": "vendor.example.com/v",
        "pv.kubernetes.io/migrated-to": "pd.csi.storage.gke.io",
      };
      await makeClaim(kit, "old", { metadata: { annotations: old } });
      await makeClaim(kit, "stale", { metadata: { annotations: stale } });
      const isMigrated = "pv.kubernetes.io/migrated-to";
      await kit.until(PERSISTENTVOLUMECLAIMS, "old", "is", ({ metadata }) => metadata?.annotations?.[isMigrated]);
      await kit.until(
        PERSISTENTVOLUMECLAIMS,
        "stale",
        "is not",
        ({ metadata }) => !metadata?.annotations?.[isMigrated],
      );
      await lookedAt(kit);
    },
  },
  {
    name: "vr-class-that-there-is-not",
    run: async (kit) => {
      await makeClaim(kit, "a");
      await told(kit, "ProvisioningFailed", "not found");
      await makeClass(kit, { provisioner: "vendor.example.com/v" });
      await kit.untilEvent("ExternalProvisioning");
    },
  },
  {
    name: "vr-plugin-that-makes-nothing",
    run: async (kit) => {
      await makeClass(kit, { provisioner: "kubernetes.io/nfs" });
      await makeClass(kit, {
        provisioner: "kubernetes.io/no-provisioner",
        metadata: { name: clusterName(kit, "none") },
      });
      await makeClaim(kit, "a");
      await makeClaim(kit, "b", { storageClassName: clusterName(kit, "none") });
      await told(kit, "ProvisioningFailed", "provisionable");
      await told(kit, "ProvisioningFailed", "no-provisioner");
    },
  },
  {
    name: "vr-host-path-is-made-and-deleted",
    run: async (kit) => {
      await makeClass(kit, { provisioner: HOST_PATH });
      const { metadata } = await makeClaim(kit, "a");
      const { spec } = await claimIs(kit, "a", "Bound");
      await kit.untilEvent("ProvisioningSucceeded");
      await noteVolume(kit, "v", `pvc-${metadata!.uid}`);
      if (spec?.volumeName !== `pvc-${metadata!.uid}`) throw new Error(`It is called ${spec?.volumeName}`);
      await removeClaim(kit, "a");
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "its volume is gone", async () => {
        const { items } = await kit.client.list(PERSISTENTVOLUMES);
        return items.every((each) => each.metadata?.name !== spec?.volumeName);
      });
    },
  },
  {
    name: "vr-host-path-that-cannot-be-made",
    run: async (kit) => {
      await makeClass(kit, { provisioner: HOST_PATH });
      const options = clusterName(kit, "options");
      await makeClass(kit, { provisioner: HOST_PATH, mountOptions: ["a", "b"], metadata: { name: options } });
      await makeClaim(kit, "block", { volumeMode: "Block" });
      await makeClaim(kit, "options", { storageClassName: options });
      await makeClaim(kit, "copy", { dataSource: { kind: "PersistentVolumeClaim", name: "block" } });
      await told(kit, "ProvisioningFailed", "block volume");
      await told(kit, "ProvisioningFailed", "mount options");
      await told(kit, "ProvisioningFailed", "datasource");
    },
  },
  {
    name: "vr-default-class-comes-later",
    run: async (kit) => {
      await makeClaim(kit, "a", { storageClassName: undefined });
      await makeClaim(kit, "none", { storageClassName: "" });
      await claimIs(kit, "a", "Pending");
      const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
      await makeClass(kit, { provisioner: "vendor.example.com/v", metadata: { annotations } });
      await kit.until(PERSISTENTVOLUMECLAIMS, "a", "has a class", ({ spec }) => spec?.storageClassName);
      await kit.untilEvent("ExternalProvisioning");
      await kit.client.delete(STORAGECLASSES, { name: ownClass(kit) });
    },
  },
];

export const VOLUME_RECLAIM_SCENARIOS: readonly Scenario[] = [...RECLAIMED, ...PROVISIONED];
