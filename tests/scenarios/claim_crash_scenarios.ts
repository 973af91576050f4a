/** Volumes that grow, and pods with SELinux labels, while the controllers of these are killed. */
import { CONFIGMAPS, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, STORAGECLASSES } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import type { Kit } from "./kit.ts";
import { areTold, createBound, createDriver, createSharer, ONE, OTHER } from "./selinux_kit.ts";
import { clusterName, endPod, findCluster, storageClaim, storageVolume } from "./volume_kit.ts";

/** A claim of a class that lets volumes grow, bound by hand to a volume of a FlexVolume driver, which the manager makes larger itself. */
async function boundClaim(kit: Kit, name: string): Promise<void> {
  const storageClassName = clusterName(kit, "grows");
  const claim = storageClaim(name);
  const volumeName = clusterName(kit, name);
  const { metadata } = await kit.create(PERSISTENTVOLUMECLAIMS, {
    ...claim,
    spec: { ...claim.spec, storageClassName, volumeName },
  });
  const claimRef = { namespace: kit.namespace, name, uid: metadata?.uid };
  const flexVolume = { driver: "example.com/flex" };
  await kit.create(
    PERSISTENTVOLUMES,
    storageVolume(kit, name, { storageClassName, csi: undefined, flexVolume, claimRef }),
  );
  const status = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status }, "status");
}

export const CLAIM_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "made-larger",
    controllers: ["persistentvolume-expander-controller"],
    resources: [PERSISTENTVOLUMECLAIMS, CONFIGMAPS],
    run: async (kit) => {
      await kit.create(STORAGECLASSES, {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: clusterName(kit, "grows") },
        provisioner: "example.com/nobody",
        allowVolumeExpansion: true,
      });
      for (const name of ["a", "b"]) await boundClaim(kit, name);
      for (const [name, storage] of [["a", "2Gi"], ["b", "3Gi"]]) {
        await kit.merge(PERSISTENTVOLUMECLAIMS, name, { spec: { resources: { requests: { storage } } } });
        await kit.until(
          PERSISTENTVOLUMECLAIMS,
          name,
          "waits for its node",
          ({ status }) => status?.allocatedResourceStatuses?.storage === "NodeResizePending",
        );
      }
      const sizes = ["a", "b"].map(async (name) => [name, (await findCluster(kit, PERSISTENTVOLUMES, name))?.spec]);
      const data = Object.fromEntries((await Promise.all(sizes)).map(([name, spec]) => [name, JSON.stringify(spec)]));
      const plain = JSON.parse(
        JSON.stringify(data).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uid").replaceAll(
          kit.namespace,
          "ns",
        ),
      );
      await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sizes" }, data: plain });
    },
  },
  {
    name: "labelled",
    controllers: ["selinux-warning-controller"],
    resources: [],
    mayTell: new Map([[/SELinux.*Conflict/, "who comes later tells all that holds by then"]]),
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE });
      await createSharer(kit, "q", { options: OTHER });
      await areTold(kit, "SELinuxLabelConflict", "p", "q");
      await createSharer(kit, "r", { options: ONE, policy: "Recursive" });
      await areTold(kit, "SELinuxChangePolicyConflict", "r");
      await endPod(kit, "q");
      await createSharer(kit, "s", { options: OTHER });
      await areTold(kit, "SELinuxLabelConflict", "s");
    },
  },
];
