/** Claims that may grow, bound by hand to volumes of a FlexVolume driver: the manager makes these larger itself. */
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, STORAGECLASSES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { clusterName, storageClaim, storageVolume } from "./volume_kit.ts";

/** Creates the class of {@link growingClaim}. */
export async function growingClass(kit: Kit): Promise<void> {
  await kit.create(STORAGECLASSES, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: clusterName(kit, "grows") },
    provisioner: "example.com/nobody",
    allowVolumeExpansion: true,
  });
}

/**
 * Creates a claim and the volume that it is bound to.
 *
 * @param options.uid The UID of the claim that the volume names, if it is another one.
 */
export async function growingClaim(kit: Kit, name: string, { uid }: { readonly uid?: string } = {}): Promise<void> {
  const storageClassName = clusterName(kit, "grows");
  const claim = storageClaim(name);
  const { metadata } = await kit.create(PERSISTENTVOLUMECLAIMS, {
    ...claim,
    spec: { ...claim.spec, storageClassName, volumeName: clusterName(kit, name) },
  });
  const claimRef = { namespace: kit.namespace, name, uid: uid ?? metadata?.uid };
  const flexVolume = { driver: "example.com/flex" };
  await kit.create(
    PERSISTENTVOLUMES,
    storageVolume(kit, name, { storageClassName, csi: undefined, flexVolume, claimRef }),
  );
  const status = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status }, "status");
}

/** Has a claim ask for that much. */
export async function askFor(kit: Kit, name: string, storage: string): Promise<void> {
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { spec: { resources: { requests: { storage } } } });
}
