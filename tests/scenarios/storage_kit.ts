/** What scenarios begin with whose volumes come from simulated storage: classes of its volumes, and claims of these. */
import {
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type StorageClass,
  STORAGECLASSES,
} from "../../src/api/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../src/rules/mod.ts";
import type { Kit } from "./kit.ts";
import { clusterName } from "./volume_kit.ts";

/** A class of volumes from simulated storage, which are made at once; its name is {@link clusterName}'s. */
export async function simulatedClass(
  kit: Kit,
  name = "fast",
  { metadata, ...rest }: Partial<StorageClass> = {},
): Promise<string> {
  const { metadata: created } = await kit.create(STORAGECLASSES, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    provisioner: SIMULATED_STORAGE_DRIVER,
    allowVolumeExpansion: true,
    ...rest,
    metadata: { ...metadata, name: clusterName(kit, name) },
  });
  return created!.name!;
}

/** A claim of a class. */
export function claimOf(
  storageClassName: string,
  name: string,
  { metadata, spec }: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName,
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  };
}

/** Waits until a claim is bound, and gives it. */
export function untilBound(kit: Kit, name: string): Promise<PersistentVolumeClaim> {
  return kit.until(PERSISTENTVOLUMECLAIMS, name, "is bound", ({ status }) => status?.phase === "Bound");
}
