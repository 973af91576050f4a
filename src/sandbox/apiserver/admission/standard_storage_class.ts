import type { StorageClass } from "../../../api/mod.ts";

/**
 * The storage class that claims get which name none: what a newcomer's first PersistentVolumeClaim needs to be bound. Volumes come
 * from the simulated nodes' provisioner when the first pod uses the claim, as with the local volumes of kind and minikube.
 */
export function standardStorageClass(): StorageClass & { metadata: NonNullable<StorageClass["metadata"]> } {
  return {
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "kubeloop.dev/simulated",
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  };
}
