/** What is done to claims and volumes while the manager that binds them is killed. */
import {
  CONFIGMAPS,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  type Resource,
  SERVICEACCOUNTS,
} from "../../src/api/mod.ts";
import { areBound, claimIs, makeClaim, makeClass, makeVolume, refTo, removeClaim, volumeIs } from "./binding_kit.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import type { Kit } from "./kit.ts";
import { clusterName, findCluster, patchCluster, untilCluster } from "./volume_kit.ts";

const CONTROLLERS = ["persistentvolume-binder-controller"];
const RESOURCES: readonly Resource[] = [PERSISTENTVOLUMECLAIMS];
const HELD = { finalizers: ["example.com/x"] };

/** Of whatever is not bound yet the next manager tells anew. */
const TOLD_ANEW: ReadonlyMap<RegExp, string> = new Map([
  [
    /FailedBinding|ExternalProvisioning|ProvisioningFailed|ProvisioningSucceeded/,
    "a claim that is looked at again is told of again",
  ],
  [/VolumeFailedRecycle .*old recycler pod found/, "the pod of the manager that was killed is deleted first"],
]);

/** Writes down in the namespace how volumes are in the end, whatever was told of them on the way. */
async function write(kit: Kit, ...names: string[]): Promise<void> {
  for (const name of names) {
    const { metadata, spec, status } = (await findCluster(kit, PERSISTENTVOLUMES, name))!;
    const { annotations, finalizers, deletionTimestamp } = metadata!;
    const claimRef = { ...spec?.claimRef, resourceVersion: undefined };
    const isDeleted = deletionTimestamp !== undefined;
    const state = { annotations, finalizers, isDeleted, spec: { ...spec, claimRef }, phase: status?.phase };
    const data = { state: JSON.stringify(state) };
    await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `volume-${name}` }, data });
  }
}

export const BINDING_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "bound-and-retained",
    controllers: CONTROLLERS,
    resources: RESOURCES,
    mayTell: TOLD_ANEW,
    run: async (kit) => {
      await makeVolume(kit, "v");
      await makeVolume(kit, "reserved", { claimRef: refTo(kit, "b") });
      for (const name of ["v", "reserved"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await makeClaim(kit, "b");
      await areBound(kit, "b", "reserved");
      await removeClaim(kit, "a");
      await volumeIs(kit, "v", "Released");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec: { claimRef: null } });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "c", { volumeName: clusterName(kit, "v") });
      await areBound(kit, "c", "v");
      await write(kit, "v", "reserved");
    },
  },
  {
    name: "made-and-bound-by-others",
    controllers: CONTROLLERS,
    resources: RESOURCES,
    mayTell: TOLD_ANEW,
    run: async (kit) => {
      await makeClass(kit, { provisioner: "vendor.example.com/v" });
      await makeClaim(kit, "a");
      const isAsked = "volume.kubernetes.io/storage-provisioner";
      const { metadata } = await kit.until(
        PERSISTENTVOLUMECLAIMS,
        "a",
        "is waiting for its provisioner",
        (claim) => claim.metadata?.annotations?.[isAsked],
      );
      await makeVolume(kit, "v", {
        claimRef: refTo(kit, "a", metadata!.uid),
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { "pv.kubernetes.io/provisioned-by": "vendor.example.com/v" } },
      });
      await areBound(kit, "a", "v");
      await removeClaim(kit, "a");
      await volumeIs(kit, "v", "Released");
      await write(kit, "v");
    },
  },
  {
    name: "released-and-deleted",
    controllers: CONTROLLERS,
    resources: RESOURCES,
    mayTell: TOLD_ANEW,
    run: async (kit) => {
      const hostPath = { path: "/tmp/nothing" };
      await makeVolume(kit, "v", { hostPath, persistentVolumeReclaimPolicy: "Delete", metadata: HELD });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await removeClaim(kit, "a");
      await untilCluster(kit, PERSISTENTVOLUMES, "v", (found) => found?.metadata?.deletionTimestamp);
      await write(kit, "v");
    },
  },
];

/** A volume that is recycled by as many pods as it takes. */
export const RECYCLING: CrashScenario = {
  name: "released-and-recycled",
  controllers: CONTROLLERS,
  resources: RESOURCES,
  mayTell: TOLD_ANEW,
  run: async (kit) => {
    const hostPath = { path: "/data" };
    // Nobody else makes it where only the binder runs.
    await kit.client.create(SERVICEACCOUNTS, { metadata: { namespace: "default", name: "default" } });
    await makeVolume(kit, "v", { hostPath, persistentVolumeReclaimPolicy: "Recycle" });
    await volumeIs(kit, "v", "Available");
    await makeClaim(kit, "a");
    await areBound(kit, "a", "v");
    await removeClaim(kit, "a");
    // The nodes run the pod, which ends by itself, and after a crash another one.
    await untilCluster(kit, PERSISTENTVOLUMES, "v", async (found) => {
      const { items } = await kit.client.list(PODS, { namespace: "default" });
      for (const pod of items.filter(({ status }) => status?.phase === "Running")) {
        const ref = { namespace: "default", name: pod.metadata!.name! };
        const body = { status: { phase: "Succeeded" } };
        await kit.client.patch(PODS, ref, { type: "merge", body, subresource: "status" }).catch(() => {});
      }
      return found?.status?.phase === "Available";
    });
    await makeClaim(kit, "b");
    await areBound(kit, "b", "v");
    await claimIs(kit, "b", "Bound");
    await write(kit, "v");
  },
};
