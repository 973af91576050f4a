/** Claims that ask for more, of volumes of all kinds that somebody makes larger. */
import {
  CONFIGMAPS,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { claimOf, simulatedClass, untilBound } from "./storage_kit.ts";
import { clusterName, findCluster, patchCluster, storageVolume, untilCluster } from "./volume_kit.ts";

const BEFORE = "volume.alpha.kubernetes.io/pre-resize-capacity";
const RESIZER = "volume.kubernetes.io/storage-resizer";
const EBS: PersistentVolume["spec"] = { csi: undefined, awsElasticBlockStore: { volumeID: "vol-1" } };
const AZURE: PersistentVolume["spec"] = {
  csi: undefined,
  azureDisk: { diskName: "d", diskURI: "/subscriptions/s/d", kind: "Managed" },
};
const FLEX: PersistentVolume["spec"] = { csi: undefined, flexVolume: { driver: "example.com/flex" } };
const NFS: PersistentVolume["spec"] = { csi: undefined, nfs: { server: "nfs.example.com", path: "/x" } };

/** A claim and a volume that are meant for each other, and bound. */
async function boundClaim(
  kit: Kit,
  name: string,
  volumeSpec: PersistentVolume["spec"] = {},
  volumeMode = "Filesystem",
): Promise<void> {
  const storageClassName = await simulatedClass(kit, name);
  const claimRef = { namespace: kit.namespace, name };
  const volume = storageVolume(kit, name, { ...volumeSpec, storageClassName, volumeMode, claimRef });
  await kit.create(PERSISTENTVOLUMES, volume);
  const claim = claimOf(storageClassName, name);
  const spec = { ...claim.spec, volumeName: clusterName(kit, name), volumeMode };
  await kit.create(PERSISTENTVOLUMECLAIMS, { ...claim, spec });
  await untilBound(kit, name);
}

async function ask(kit: Kit, name: string, storage: string): Promise<void> {
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { spec: { resources: { requests: { storage } } } });
}

async function until(
  kit: Kit,
  name: string,
  what: string,
  holds: (claim: PersistentVolumeClaim) => unknown,
): Promise<void> {
  await kit.until(PERSISTENTVOLUMECLAIMS, name, what, holds);
}

/** Writes down in the namespace what became of a volume. */
async function noteVolume(kit: Kit, name: string): Promise<void> {
  const { metadata, spec } = (await findCluster(kit, PERSISTENTVOLUMES, name))!;
  // Who wrote first within a second is nobody's business.
  const owned = (metadata?.managedFields ?? []).filter(({ manager }) => manager === "kube-controller-manager")
    .map(({ operation, subresource, fieldsV1 }) => JSON.stringify({ operation, subresource, fieldsV1 })).sort();
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `size-of-${name}` },
    data: {
      size: String(spec?.capacity?.storage),
      before: String(metadata?.annotations?.[BEFORE]),
      owned: owned.join(),
    },
  });
}

const isPendingOnNode = ({ status }: PersistentVolumeClaim) =>
  status?.allocatedResourceStatuses?.storage === "NodeResizePending";

/** What a kubelet does in the end. */
async function finishOnNode(kit: Kit, name: string, storage: string): Promise<void> {
  const status = { capacity: { storage }, conditions: null, allocatedResourceStatuses: null };
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status }, "status");
}

export const EXPANSION_SCENARIOS: readonly Scenario[] = [
  {
    name: "exp-csi-is-left-to-its-resizer",
    run: async (kit) => {
      await boundClaim(kit, "a");
      await ask(kit, "a", "2Gi");
      await kit.untilEvent("ExternalExpanding");
      await noteVolume(kit, "a");
    },
  },
  {
    name: "exp-nfs-is-left-to-somebody",
    run: async (kit) => {
      await boundClaim(kit, "a", NFS);
      await ask(kit, "a", "2Gi");
      await kit.untilEvent("ExternalExpanding");
      await noteVolume(kit, "a");
    },
  },
  {
    name: "exp-migrated-names-its-resizer",
    run: async (kit) => {
      for (const [name, spec] of [["a", EBS], ["b", AZURE]] as const) {
        await boundClaim(kit, name, spec);
        await ask(kit, name, "2Gi");
        await until(kit, name, "names a resizer", ({ metadata }) => metadata?.annotations?.[RESIZER]);
        await noteVolume(kit, name);
      }
    },
  },
  {
    name: "exp-flex-waits-for-its-node",
    run: async (kit) => {
      await boundClaim(kit, "a", FLEX);
      await ask(kit, "a", "2Gi");
      await until(kit, "a", "waits for its node", isPendingOnNode);
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (volume) => volume?.metadata?.annotations?.[BEFORE]);
      await noteVolume(kit, "a");
    },
  },
  {
    name: "exp-flex-is-done-by-its-node",
    run: async (kit) => {
      await boundClaim(kit, "a", FLEX);
      await ask(kit, "a", "2Gi");
      await until(kit, "a", "waits for its node", isPendingOnNode);
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (volume) => volume?.metadata?.annotations?.[BEFORE]);
      await finishOnNode(kit, "a", "2Gi");
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (volume) => !volume?.metadata?.annotations?.[BEFORE]);
      await noteVolume(kit, "a");
    },
  },
  {
    name: "exp-flex-block-is-done-at-once",
    run: async (kit) => {
      await boundClaim(kit, "a", FLEX, "Block");
      await ask(kit, "a", "2Gi");
      await kit.untilEvent("VolumeResizeSuccessful");
      await noteVolume(kit, "a");
    },
  },
  {
    name: "exp-flex-goes-on-after-the-node-gave-up",
    run: async (kit) => {
      await boundClaim(kit, "a", FLEX);
      await patchCluster(kit, PERSISTENTVOLUMES, "a", { spec: { capacity: { storage: "2Gi" } } });
      const lastTransitionTime = "2026-01-01T00:00:00Z";
      const status = {
        allocatedResources: { storage: "2Gi" },
        allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
        conditions: [
          { type: "Example", status: "True", lastTransitionTime },
          { type: "NodeResizeError", status: "True", lastTransitionTime },
        ],
      };
      await kit.merge(PERSISTENTVOLUMECLAIMS, "a", { status }, "status");
      await ask(kit, "a", "2Gi");
      await until(kit, "a", "waits for its node", isPendingOnNode);
      await untilCluster(kit, PERSISTENTVOLUMES, "a", (volume) => volume?.metadata?.annotations?.[BEFORE]);
      await noteVolume(kit, "a");
    },
  },
];
