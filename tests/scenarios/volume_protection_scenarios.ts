/** Claims, volumes and classes of volumes that are deleted while they are used, and while they are not. */
import {
  NAMESPACES,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  VOLUMEATTRIBUTESCLASSES,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  CLAIM_SPEC,
  claimsLookedAt,
  clusterName,
  deleteClaims,
  deleteCluster,
  endPod,
  idlePod,
  note,
  patchCluster,
  podWithClaims,
  removeAtOnce,
  setPhase,
  storageClaim,
  storageVolume,
  untilCluster,
} from "./volume_kit.ts";

const PVC = "kubernetes.io/pvc-protection";
const PV = "kubernetes.io/pv-protection";
const VAC = "kubernetes.io/vac-protection";

async function claims(kit: Kit, ...names: string[]): Promise<void> {
  for (const name of names) await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim(name));
}

const RETRIES = "a retry may come before the cache shows what there is";

const EPHEMERAL = { name: "v", ephemeral: { volumeClaimTemplate: { spec: CLAIM_SPEC } } };

/** A pod with an ephemeral volume, and its claim. */
async function ephemeral(kit: Kit, pod: string, finalizers?: string[]): Promise<void> {
  await kit.create(PODS, idlePod(pod, { spec: { volumes: [EPHEMERAL] }, finalizers }));
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, "one is there", (claims) => claims.length === 1);
}

const OF_CLAIMS: readonly Scenario[] = [
  {
    name: "pvc-gets-its-finalizer",
    run: async (kit) => {
      await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("a", { finalizers: ["example.com/x"] }));
      await kit.merge(PERSISTENTVOLUMECLAIMS, "a", { metadata: { finalizers: ["example.com/x"] } });
      await kit.until(PERSISTENTVOLUMECLAIMS, "a", "is kept", ({ metadata }) => metadata?.finalizers?.includes(PVC));
    },
  },
  {
    name: "pvc-unused-goes",
    run: async (kit) => {
      await claims(kit, "a");
      await deleteClaims(kit, ["a"]);
    },
  },
  {
    name: "pvc-used-stays",
    run: async (kit) => {
      await claims(kit, "a");
      await kit.create(PODS, podWithClaims("p", ["a"]));
      await deleteClaims(kit, ["a"], ["a"]);
      await claimsLookedAt(kit);
    },
  },
  {
    name: "pvc-goes-with-its-pod",
    run: async (kit) => {
      await claims(kit, "a", "b");
      await kit.create(PODS, podWithClaims("p", ["a", "b", "a"]));
      await deleteClaims(kit, ["a", "b"], ["a", "b"]);
      await claimsLookedAt(kit);
      await removeAtOnce(kit, "p");
      for (const name of ["a", "b"]) await kit.untilGone(PERSISTENTVOLUMECLAIMS, name);
    },
  },
  {
    name: "pvc-of-an-ended-pod-stays",
    run: async (kit) => {
      await claims(kit, "a", "b");
      await kit.create(PODS, podWithClaims("p", ["a"]));
      await kit.create(PODS, podWithClaims("q", ["b"]));
      await endPod(kit, "p");
      await endPod(kit, "q", "Failed");
      await deleteClaims(kit, ["a", "b"], ["a", "b"]);
      await claimsLookedAt(kit);
    },
  },
  {
    name: "pvc-of-a-pod-without-a-node-goes",
    run: async (kit) => {
      await claims(kit, "a");
      await kit.create(PODS, podWithClaims("p", ["a"], { isScheduled: false }));
      await deleteClaims(kit, ["a"]);
    },
  },
  {
    name: "pvc-of-two-pods-stays-with-one",
    run: async (kit) => {
      await claims(kit, "a");
      await kit.create(PODS, podWithClaims("p", ["a"]));
      await kit.create(PODS, podWithClaims("q", ["a"]));
      await deleteClaims(kit, ["a"], ["a"]);
      await removeAtOnce(kit, "p");
      await claimsLookedAt(kit);
    },
  },
  {
    name: "pvc-with-finalizers-of-others",
    run: async (kit) => {
      const finalizers = ["example.com/x", PVC, "example.com/y"];
      await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("a", { finalizers }));
      await kit.delete(PERSISTENTVOLUMECLAIMS, "a");
      await kit.until(PERSISTENTVOLUMECLAIMS, "a", "is let go", ({ metadata }) => metadata?.finalizers?.length === 2);
    },
  },
  {
    name: "pvc-many-at-once",
    run: async (kit) => {
      const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
      await claims(kit, ...names);
      const kept = ["c3", "c17"];
      await kit.create(PODS, podWithClaims("p", kept));
      await deleteClaims(kit, names, kept);
      await claimsLookedAt(kit);
    },
  },
  {
    name: "pvc-of-an-ephemeral-volume-stays",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      await ephemeral(kit, "p");
      await deleteClaims(kit, ["p-v"], ["p-v"]);
      await claimsLookedAt(kit);
    },
  },
  {
    name: "pvc-and-pod-do-not-wait-for-each-other",
    run: async (kit) => {
      await ephemeral(kit, "p", ["example.com/x"]);
      await deleteClaims(kit, ["p-v"], ["p-v"]);
      await claimsLookedAt(kit);
      await removeAtOnce(kit, "p");
      await kit.untilGone(PERSISTENTVOLUMECLAIMS, "p-v");
    },
  },
  {
    name: "pvc-only-called-like-an-ephemeral-one-goes",
    eventsDiffer: RETRIES,
    run: async (kit) => {
      const { metadata } = await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("p-v"));
      await kit.create(PODS, idlePod("p", { spec: { volumes: [EPHEMERAL] } }));
      await kit.untilEvent("FailedBinding");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "p-v");
      // Its name is wanted.
      await kit.untilAll(
        PERSISTENTVOLUMECLAIMS,
        "another one is there",
        ([claim]) => claim && claim.metadata!.uid !== metadata!.uid,
      );
    },
  },
  {
    name: "pvc-in-a-terminating-namespace",
    run: async (kit) => {
      await claims(kit, "a", "b");
      await kit.create(PODS, podWithClaims("p", ["a"], { isScheduled: false }));
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];

const OF_VOLUMES: readonly Scenario[] = [
  {
    name: "pv-gets-its-finalizer",
    run: async (kit) => {
      await kit.create(PERSISTENTVOLUMES, storageVolume(kit, "a"));
      await patchCluster(kit, PERSISTENTVOLUMES, "a", { metadata: { finalizers: null } });
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (volume) => volume?.metadata?.finalizers?.includes(PV));
      await note(kit, PERSISTENTVOLUMES, "a");
    },
  },
  {
    name: "pv-bound-stays-until-released",
    run: async (kit) => {
      await kit.create(PERSISTENTVOLUMES, storageVolume(kit, "a"));
      await kit.create(PERSISTENTVOLUMES, storageVolume(kit, "b"));
      await setPhase(kit, "a", "Bound");
      await deleteCluster(kit, PERSISTENTVOLUMES, "a");
      await deleteCluster(kit, PERSISTENTVOLUMES, "b");
      await untilCluster(kit, PERSISTENTVOLUMES, "b", (volume) => !volume);
      await note(kit, PERSISTENTVOLUMES, "a");
      await setPhase(kit, "a", "Released");
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (volume) => !volume);
    },
  },
  {
    name: "pv-in-any-other-phase-goes",
    run: async (kit) => {
      for (const phase of ["Available", "Pending", "Released", "Failed"]) {
        const name = phase.toLowerCase();
        await kit.create(PERSISTENTVOLUMES, storageVolume(kit, name));
        await setPhase(kit, name, phase);
        await deleteCluster(kit, PERSISTENTVOLUMES, name);
        await untilCluster(kit, PERSISTENTVOLUMES, name, (volume) => !volume);
      }
    },
  },
  {
    name: "pv-with-finalizers-of-others",
    run: async (kit) => {
      const volume = storageVolume(kit, "a");
      const finalizers = ["example.com/x", PV, "example.com/y"];
      await kit.create(PERSISTENTVOLUMES, { ...volume, metadata: { ...volume.metadata, finalizers } });
      await deleteCluster(kit, PERSISTENTVOLUMES, "a");
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (found) => found?.metadata?.finalizers?.length === 2);
      await note(kit, PERSISTENTVOLUMES, "a");
    },
  },
];

async function volumeClass(kit: Kit, name: string): Promise<void> {
  await kit.create(VOLUMEATTRIBUTESCLASSES, {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name: clusterName(kit, name) },
    driverName: "csi.example.com",
    parameters: { iops: "1" },
  });
  await untilCluster(kit, VOLUMEATTRIBUTESCLASSES, name, (found) => found?.metadata?.finalizers?.includes(VAC));
}

/** Deletes a class that is to stay for now: one that is not used goes, after it was looked at. */
async function deleteUsedClass(kit: Kit, name: string): Promise<void> {
  await volumeClass(kit, "last");
  await deleteCluster(kit, VOLUMEATTRIBUTESCLASSES, name);
  await deleteCluster(kit, VOLUMEATTRIBUTESCLASSES, "last");
  await classIsGone(kit, "last");
  await note(kit, VOLUMEATTRIBUTESCLASSES, name);
}

async function classIsGone(kit: Kit, name: string): Promise<void> {
  await untilCluster(kit, VOLUMEATTRIBUTESCLASSES, name, (found) => !found);
}

const OF_CLASSES: readonly Scenario[] = [
  {
    name: "vac-gets-its-finalizer",
    run: async (kit) => {
      await volumeClass(kit, "a");
      await patchCluster(kit, VOLUMEATTRIBUTESCLASSES, "a", { metadata: { finalizers: ["example.com/x"] } });
      await untilCluster(kit, VOLUMEATTRIBUTESCLASSES, "a", (found) => found?.metadata?.finalizers?.includes(VAC));
      await note(kit, VOLUMEATTRIBUTESCLASSES, "a");
    },
  },
  {
    name: "vac-unused-goes",
    run: async (kit) => {
      await volumeClass(kit, "a");
      await deleteCluster(kit, VOLUMEATTRIBUTESCLASSES, "a");
      await classIsGone(kit, "a");
    },
  },
  {
    name: "vac-of-a-volume-goes-when-it-has-another",
    run: async (kit) => {
      await volumeClass(kit, "a");
      const volume = storageVolume(kit, "v", { volumeAttributesClassName: clusterName(kit, "a") });
      await kit.create(PERSISTENTVOLUMES, volume);
      await deleteUsedClass(kit, "a");
      const spec = { volumeAttributesClassName: clusterName(kit, "b") };
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec });
      await classIsGone(kit, "a");
    },
  },
  {
    name: "vac-of-a-volume-goes-with-it",
    run: async (kit) => {
      await volumeClass(kit, "a");
      const volume = storageVolume(kit, "v", { volumeAttributesClassName: clusterName(kit, "a") });
      await kit.create(PERSISTENTVOLUMES, volume);
      await deleteUsedClass(kit, "a");
      await deleteCluster(kit, PERSISTENTVOLUMES, "v");
      await classIsGone(kit, "a");
    },
  },
  {
    name: "vac-that-a-claim-asks-for-stays",
    run: async (kit) => {
      await volumeClass(kit, "a");
      const spec = { ...CLAIM_SPEC, volumeAttributesClassName: clusterName(kit, "a") };
      await kit.create(PERSISTENTVOLUMECLAIMS, { ...storageClaim("c"), spec });
      await deleteUsedClass(kit, "a");
    },
  },
  {
    name: "vac-that-a-claim-has-or-gets-stays",
    run: async (kit) => {
      for (const name of ["a", "b"]) await volumeClass(kit, name);
      await claims(kit, "c");
      const modifyVolumeStatus = { targetVolumeAttributesClassName: clusterName(kit, "b"), status: "InProgress" };
      const status = { currentVolumeAttributesClassName: clusterName(kit, "a"), modifyVolumeStatus };
      await kit.merge(PERSISTENTVOLUMECLAIMS, "c", { status }, "status");
      await deleteUsedClass(kit, "a");
      await deleteUsedClass(kit, "b");
      await deleteClaims(kit, ["c"]);
      for (const name of ["a", "b"]) await classIsGone(kit, name);
    },
  },
];

export const VOLUME_PROTECTION_SCENARIOS: readonly Scenario[] = [...OF_CLAIMS, ...OF_VOLUMES, ...OF_CLASSES];
