import type {
  CSIDriver,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../../../api/mod.ts";
import { AGE, classNameColumn, type Column, flag, NAME, orNone, text, UNSET, wide } from "../columns/mod.ts";

const MODES = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" };

function modesText(modes: readonly string[] | undefined): string {
  return Object.entries(MODES).filter(([mode]) => modes?.includes(mode)).map(([, short]) => short).join(",");
}

/** The deprecated annotation for a storage class. */
const CLASS = "volume.beta.kubernetes.io/storage-class";

function classOf(metadata: ObjectMeta | undefined, name: string | undefined): string {
  return metadata?.annotations?.[CLASS] ?? name ?? "";
}

function phaseOf({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string | undefined {
  return metadata?.deletionTimestamp ? "Terminating" : status?.phase;
}

export const persistentVolumes: readonly Column<PersistentVolume>[] = [
  NAME,
  text("Capacity", "spec.capacity.storage", "0"),
  text("Access Modes", ({ spec }) => modesText(spec?.accessModes)),
  text("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
  text("Status", phaseOf),
  text("Claim", ({ spec }) => spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : ""),
  text("StorageClass", ({ metadata, spec }) => classOf(metadata, spec?.storageClassName)),
  text("VolumeAttributesClass", "spec.volumeAttributesClassName", UNSET),
  text("Reason", "status.reason"),
  AGE,
  wide("VolumeMode", "spec.volumeMode", UNSET),
];

export const persistentVolumeClaims: readonly Column<PersistentVolumeClaim>[] = [
  NAME,
  text("Status", phaseOf),
  text("Volume", "spec.volumeName"),
  text("Capacity", ({ spec, status }) => spec?.volumeName ? status?.capacity?.storage ?? "0" : ""),
  text("Access Modes", ({ spec, status }) => spec?.volumeName ? modesText(status?.accessModes) : ""),
  text("StorageClass", ({ metadata, spec }) => classOf(metadata, spec?.storageClassName)),
  text("VolumeAttributesClass", "spec.volumeAttributesClassName", UNSET),
  AGE,
  wide("VolumeMode", "spec.volumeMode", UNSET),
];

export const storageClasses: readonly Column<StorageClass>[] = [
  classNameColumn("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"),
  text("Provisioner", "provisioner"),
  text("ReclaimPolicy", "reclaimPolicy", "Delete"),
  text("VolumeBindingMode", "volumeBindingMode", "Immediate"),
  text("AllowVolumeExpansion", "allowVolumeExpansion", false),
  AGE,
];

export const csiDrivers: readonly Column<CSIDriver>[] = [
  NAME,
  flag("AttachRequired", ({ spec }) => spec?.attachRequired ?? true),
  flag("PodInfoOnMount", "spec.podInfoOnMount"),
  flag("StorageCapacity", "spec.storageCapacity"),
  text("TokenRequests", ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience).join(",") ?? UNSET),
  flag("RequiresRepublish", "spec.requiresRepublish"),
  text("Modes", ({ spec }) => orNone(spec?.volumeLifecycleModes?.join(","))),
  AGE,
];
