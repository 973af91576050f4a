import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  Quantity,
  referenceTo,
  type StorageClass,
} from "../../api/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";

/** Keeps a volume object until its storage is deleted. */
export const PROVISIONER_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";
/** Names the provisioner of a volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** A class parameter: the node label that says where a volume is reachable; from all nodes by default. */
const TOPOLOGY_PARAMETER = "kubeloop.dev/topology-key";
const FILE_SYSTEM_PARAMETER = "csi.storage.k8s.io/fstype";

export function volumeNameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata?.uid}`;
}

export interface VolumeOrigin {
  readonly driver: string;
  /** The labels of the selected node, if any. */
  readonly nodeLabels: Readonly<Record<string, string>>;
}

/** The volume for a claim. Upstream: `external-provisioner/pkg/controller` (Provision). */
export function newVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  { driver, nodeLabels }: VolumeOrigin,
): PersistentVolume {
  const { parameters = {}, reclaimPolicy = "Delete", mountOptions } = storageClass;
  const { accessModes, volumeMode, resources } = claim.spec ?? {};
  const name = volumeNameOf(claim);
  const bytes = Quantity.parse(resources?.requests?.storage).roundedUp();
  const fsType = volumeMode === "Block" ? undefined : parameters[FILE_SYSTEM_PARAMETER];
  const required = affinityOf(storageClass, nodeLabels);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      annotations: {
        [PROVISIONED_BY]: driver,
        "volume.kubernetes.io/provisioner-deletion-secret-name": "",
        "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
      },
      ...reclaimPolicy === "Delete" ? { finalizers: [PROVISIONER_FINALIZER] } : {},
    },
    spec: {
      accessModes,
      capacity: { storage: Quantity.of(bytes, 0, "BinarySI").toString() },
      claimRef: referenceTo(claim, PERSISTENTVOLUMECLAIMS),
      csi: {
        driver,
        volumeHandle: name,
        ...fsType ? { fsType } : {},
        volumeAttributes: { "storage.kubernetes.io/csiProvisionerIdentity": driver },
      },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClassOf(claim),
      ...volumeMode ? { volumeMode } : {},
      ...mountOptions ? { mountOptions } : {},
      ...required ? { nodeAffinity: { required } } : {},
    },
  };
}

/** The nodes from which a volume is reachable, if not all: those in the same topology as the selected one. */
function affinityOf({ parameters, allowedTopologies }: StorageClass, nodeLabels: VolumeOrigin["nodeLabels"]) {
  const key = parameters?.[TOPOLOGY_PARAMETER];
  if (!key) return undefined;
  const allowed = allowedTopologies?.flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions)
    .find((expression) => expression.key === key)?.values[0];
  const value = nodeLabels[key] ?? allowed;
  if (value === undefined) return undefined;
  return { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] };
}
