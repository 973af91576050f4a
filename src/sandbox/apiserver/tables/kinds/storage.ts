import type {
  CSIDriver,
  CSINode,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../../../api/mod.ts";
import { AGE, type Column, flag, integer, NAME, orNone, orUnset, text, UNSET, wide } from "../columns/mod.ts";

const MODES: ReadonlyArray<readonly [mode: string, short: string]> = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

function modesText(modes: readonly string[] | undefined): string {
  return MODES.filter(([mode]) => modes?.includes(mode)).map(([, short]) => short).join(",");
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
  text("Capacity", ({ spec }) => spec?.capacity?.storage ?? "0"),
  text("Access Modes", ({ spec }) => modesText(spec?.accessModes)),
  text("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy),
  text("Status", phaseOf),
  text("Claim", ({ spec }) => spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : ""),
  text("StorageClass", ({ metadata, spec }) => classOf(metadata, spec?.storageClassName)),
  text("VolumeAttributesClass", ({ spec }) => orUnset(spec?.volumeAttributesClassName)),
  text("Reason", ({ status }) => status?.reason),
  AGE,
  wide("VolumeMode", ({ spec }) => orUnset(spec?.volumeMode)),
];

export const persistentVolumeClaims: readonly Column<PersistentVolumeClaim>[] = [
  NAME,
  text("Status", phaseOf),
  text("Volume", ({ spec }) => spec?.volumeName),
  text("Capacity", ({ spec, status }) => spec?.volumeName ? status?.capacity?.storage ?? "0" : ""),
  text("Access Modes", ({ spec, status }) => spec?.volumeName ? modesText(status?.accessModes) : ""),
  text("StorageClass", ({ metadata, spec }) => classOf(metadata, spec?.storageClassName)),
  text("VolumeAttributesClass", ({ spec }) => orUnset(spec?.volumeAttributesClassName)),
  AGE,
  wide("VolumeMode", ({ spec }) => orUnset(spec?.volumeMode)),
];

const DEFAULT_CLASS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function isDefaultClass(metadata: ObjectMeta | undefined): boolean {
  return DEFAULT_CLASS.some((key) => metadata?.annotations?.[key] === "true");
}

export const storageClasses: readonly Column<StorageClass>[] = [
  { ...NAME, cell: ({ metadata }) => `${metadata?.name ?? ""}${isDefaultClass(metadata) ? " (default)" : ""}` },
  text("Provisioner", ({ provisioner }) => provisioner),
  text("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
  text("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
  text("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  AGE,
];

export const volumeAttributesClasses: readonly Column<VolumeAttributesClass>[] = [
  NAME,
  text("DriverName", ({ driverName }) => driverName),
  AGE,
];

export const volumeAttachments: readonly Column<VolumeAttachment>[] = [
  NAME,
  { ...text("Attacher", ({ spec }) => spec?.attacher), format: "name" },
  text("PV", ({ spec }) => spec?.source?.persistentVolumeName),
  text("Node", ({ spec }) => spec?.nodeName),
  flag("Attached", ({ status }) => status?.attached),
  AGE,
];

export const csiNodes: readonly Column<CSINode>[] = [
  NAME,
  integer("Drivers", ({ spec }) => spec?.drivers?.length ?? 0),
  AGE,
];

export const csiDrivers: readonly Column<CSIDriver>[] = [
  NAME,
  flag("AttachRequired", ({ spec }) => spec?.attachRequired ?? true),
  flag("PodInfoOnMount", ({ spec }) => spec?.podInfoOnMount),
  flag("StorageCapacity", ({ spec }) => spec?.storageCapacity),
  text("TokenRequests", ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience).join(",") ?? UNSET),
  flag("RequiresRepublish", ({ spec }) => spec?.requiresRepublish),
  text("Modes", ({ spec }) => orNone(spec?.volumeLifecycleModes?.join(","))),
  AGE,
];
