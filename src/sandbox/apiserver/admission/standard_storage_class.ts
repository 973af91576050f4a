import type { StorageClass } from "../../../api/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../../rules/mod.ts";

/**
 * The storage class that claims get which name none: what a newcomer's first PersistentVolumeClaim needs to be bound. Volumes come
 * from simulated storage when the first pod uses the claim, as with the local volumes of kind and minikube.
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
