import type { PersistentVolume, PersistentVolumeClaim } from "../../api/mod.ts";

/** What {@link classesOfClaim} reads. */
export const CLAIM_FIELDS = [
  "spec.volumeAttributesClassName",
  "status.currentVolumeAttributesClassName",
  "status.modifyVolumeStatus.targetVolumeAttributesClassName",
];

/** What {@link classesOfVolume} reads. */
export const VOLUME_FIELDS = ["spec.volumeAttributesClassName"];

/** The classes that a claim asks for, has, or is being changed to, each once. */
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
