import type { PersistentVolume, PersistentVolumeSpec } from "../../api/mod.ts";
import type { PodVolume } from "../pod_volumes/mod.ts";

/** A volume described inline in a pod. */
export interface InlineVolume {
  readonly from: "pod";
  readonly volume: PodVolume;
}

/** A volume described by a PersistentVolume, from the API server or translated. */
export interface PersistentVolumeOf {
  readonly from: "volume";
  readonly persistentVolume: PersistentVolume;
  /** Whether the pod's claim source requests it. */
  readonly readOnly: boolean;
  /**
   * Translated from an in-tree type to CSI; "inline" if a pod described it, so that there is no PersistentVolume of
   * this name.
   */
  readonly migrated?: "volume" | "inline";
}

/** Which volume is meant, and where its description comes from. Upstream: `pkg/volume` (Spec). */
export type VolumeSpec = InlineVolume | PersistentVolumeOf;

/** Names of the fields that hold the source of a volume, in a pod and in a PersistentVolume alike. */
export type SourceField = keyof PodVolume & keyof PersistentVolumeSpec;

/** Its name in events and errors. */
export function specName(spec: VolumeSpec): string {
  return spec.from === "pod" ? spec.volume.name : spec.persistentVolume.metadata?.name ?? "";
}

/** What holds the source of a volume. */
export function sourcesOf(spec: VolumeSpec): Partial<Pick<PodVolume & PersistentVolumeSpec, SourceField>> {
  // Both have these fields; some sources' types differ, but only in fields read by code that knows their origin.
  return (spec.from === "pod" ? spec.volume : spec.persistentVolume.spec ?? {}) as Partial<
    PodVolume & PersistentVolumeSpec
  >;
}

/**
 * Whether a volume may be attached to several nodes at once; if that is unknown, the attacher decides.
 * Upstream: `pkg/volume/util` (IsMultiAttachAllowed).
 */
export function isMultiAttachAllowed(spec: VolumeSpec | undefined): boolean {
  if (!spec) return true;
  if (spec.from === "pod") return !spec.volume.azureDisk && !spec.volume.cinder;
  const modes = spec.persistentVolume.spec?.accessModes ?? [];
  return modes.length === 0 || modes.includes("ReadWriteMany") || modes.includes("ReadOnlyMany");
}

/** The mode of a claim or volume; the default is a file system. */
export function volumeModeOf(
  spec: { readonly volumeMode?: string } | undefined,
): string {
  return spec?.volumeMode ?? "Filesystem";
}
