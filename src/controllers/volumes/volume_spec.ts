import type { PersistentVolume, PersistentVolumeSpec } from "../../api/mod.ts";
import type { PodVolume } from "../pod_volumes/mod.ts";

/** A volume as a pod describes it in place. */
export interface InlineVolume {
  readonly from: "pod";
  readonly volume: PodVolume;
}

/** A volume as a PersistentVolume describes it, be it from the API server or translated. */
export interface PersistentVolumeOf {
  readonly from: "volume";
  readonly persistentVolume: PersistentVolume;
  /** Whether the pod's claim source asks for it. */
  readonly readOnly: boolean;
  /** Translated from an in-tree type to CSI; "inline" if a pod described it, so that there is no PersistentVolume of this name. */
  readonly migrated?: "volume" | "inline";
}

/** Which volume is meant, and where its description comes from. Upstream: `pkg/volume` (Spec). */
export type VolumeSpec = InlineVolume | PersistentVolumeOf;

/** Names of the fields that hold the source of a volume, in a pod and in a PersistentVolume alike. */
export type SourceField = keyof PodVolume & keyof PersistentVolumeSpec;

/** As events and errors call it. */
export function specName(spec: VolumeSpec): string {
  return spec.from === "pod" ? spec.volume.name : spec.persistentVolume.metadata?.name ?? "";
}

/** What holds the source of a volume. */
export function sourcesOf(spec: VolumeSpec): Partial<Pick<PodVolume & PersistentVolumeSpec, SourceField>> {
  // Both have these fields; the types of some sources differ in what nobody reads without knowing where they come from.
  return (spec.from === "pod" ? spec.volume : spec.persistentVolume.spec ?? {}) as Partial<
    PodVolume & PersistentVolumeSpec
  >;
}

/**
 * Whether a volume may be attached to several nodes at once, as far as can be told: what is not known is left to whoever attaches.
 * Upstream: `pkg/volume/util` (IsMultiAttachAllowed).
 */
export function isMultiAttachAllowed(spec: VolumeSpec | undefined): boolean {
  if (!spec) return true;
  if (spec.from === "pod") return !spec.volume.azureDisk && !spec.volume.cinder;
  const modes = spec.persistentVolume.spec?.accessModes ?? [];
  return modes.length === 0 || modes.includes("ReadWriteMany") || modes.includes("ReadOnlyMany");
}

/** The mode of a claim or volume; none stated means a file system. */
export function volumeModeOf(
  spec: { readonly volumeMode?: string } | undefined,
): string {
  return spec?.volumeMode ?? "Filesystem";
}
