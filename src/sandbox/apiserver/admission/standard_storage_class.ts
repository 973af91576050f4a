import type { StorageClass } from "../../../api/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../../rules/mod.ts";

/**
 * The storage class for claims that name none, so that a beginner's first PersistentVolumeClaim is bound. Simulated
 * storage creates the volume when the first pod uses the claim, as kind and minikube do with their local volumes.
 */
export function standardStorageClass(): StorageClass & { metadata: NonNullable<StorageClass["metadata"]> } {
  return {
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: SIMULATED_STORAGE_DRIVER,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  };
}
