import type { PersistentVolume, PersistentVolumeClaim } from "../../api/mod.ts";

/** The fields that {@link classesOfClaim} reads. */
export const CLAIM_FIELDS = [
  "spec.volumeAttributesClassName",
  "status.currentVolumeAttributesClassName",
  "status.modifyVolumeStatus.targetVolumeAttributesClassName",
];

/** The fields that {@link classesOfVolume} reads. */
export const VOLUME_FIELDS = ["spec.volumeAttributesClassName"];

/** The classes that a claim requests, has, or is changing to, without repeats. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.flatMap((name) => name ? [name] : []))];
}

/** The class that a volume has, if any. */
export function classesOfVolume({ spec }: PersistentVolume): string[] {
  return spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
}
