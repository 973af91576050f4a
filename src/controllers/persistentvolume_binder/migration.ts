import type { KubeObject, PersistentVolume, PersistentVolumeClaim } from "../../api/mod.ts";
import { migratedDriverOf } from "../volumes/mod.ts";
import {
  annotated,
  annotationOf,
  BETA_PROVISIONER,
  EXTERNAL_FINALIZER,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
  PROVISIONER,
} from "./names.ts";

/** The prefix of plug-ins' names that are or were part of Kubernetes. */
export const IN_TREE_PREFIX = "kubernetes.io/";

/**
 * The claim with the CSI driver that takes over from its provisioner, or without one; the same object if it says so
 * already.
 */
export function claimAsMigrated(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  return asMigrated(claim, annotationOf(claim, PROVISIONER) ?? annotationOf(claim, BETA_PROVISIONER));
}

/**
 * The volume with the driver that takes over from the plug-in it was made by, and with the finalizers that fit; the
 * same object if it is so already.
 */
export function volumeAsMigrated(volume: PersistentVolume): PersistentVolume {
  const provisioner = annotationOf(volume, PROVISIONED_BY);
  return withFittingFinalizers(asMigrated(volume, provisioner), provisioner);
}

function asMigrated<T extends KubeObject>(object: T, provisioner: string | undefined): T {
  if (provisioner === undefined) return object;
  const driver = migratedDriverOf(provisioner);
  return (annotationOf(object, MIGRATED_TO) || undefined) === driver
    ? object
    : annotated(object, { [MIGRATED_TO]: driver });
}

/** Whoever deletes the storage of a volume keeps the volume until then: the controller, or an external provisioner. */
function withFittingFinalizers(volume: PersistentVolume, provisioner: string | undefined): PersistentVolume {
  const before = volume.metadata?.finalizers ?? [];
  const finalizers = provisioner === undefined ? before : fittingFinalizers(before, volume, provisioner);
  if (finalizers.length === before.length && finalizers.every((each, i) => each === before[i])) return volume;
  return withFinalizers(volume, finalizers);
}

function fittingFinalizers(
  before: readonly string[],
  { spec }: PersistentVolume,
  provisioner: string,
): readonly string[] {
  if (migratedDriverOf(provisioner) !== undefined) return before.filter((each) => each !== IN_TREE_FINALIZER);
  if (!provisioner.startsWith(IN_TREE_PREFIX)) return before;
  const others = before.filter((each) => each !== EXTERNAL_FINALIZER);
  switch (spec?.persistentVolumeReclaimPolicy) {
    case "Delete":
      return others.includes(IN_TREE_FINALIZER) ? others : [...others, IN_TREE_FINALIZER];
    case "Retain":
    case "Recycle":
      return others.filter((each) => each !== IN_TREE_FINALIZER);
    default:
      return others;
  }
}

/** The volume with these finalizers and no others. */
export function withFinalizers(volume: PersistentVolume, finalizers: readonly string[]): PersistentVolume {
  const given = finalizers.length > 0 ? [...finalizers] : undefined;
  return { ...volume, metadata: { ...volume.metadata, finalizers: given } };
}
