import type { KubeObject } from "../../api/mod.ts";

/** On a claim: the bind was completed once. Its presence decides how the claim is treated from then on. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** The pointer of this volume or claim to the other was set here, not by a user. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** On a volume: the plug-in or driver that made it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** The CSI driver that has taken over from the in-tree plug-in. */
export const MIGRATED_TO = "pv.kubernetes.io/migrated-to";
/** On a claim: the provisioner of its volume; both are always written together. */
export const PROVISIONER = "volume.kubernetes.io/storage-provisioner";
export const BETA_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";
/** On a claim: the node on which the scheduler wants its volume. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** On a volume: what it held before it was made larger. */
export const PRE_RESIZE_CAPACITY = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** Keeps a volume until its storage is gone that an in-tree plug-in has made. */
export const IN_TREE_FINALIZER = "kubernetes.io/pv-controller";
/** The same, of volumes that external provisioners have made. */
export const EXTERNAL_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";

/** The value of annotations whose mere presence counts. */
const YES = "yes";

export function annotationOf({ metadata }: KubeObject, name: string): string | undefined {
  return metadata?.annotations?.[name];
}

export function isAnnotated(object: KubeObject, name: string): boolean {
  return annotationOf(object, name) !== undefined;
}

/** A copy with other annotations; those that are `undefined` are left out. */
export function annotated<T extends KubeObject>(object: T, changes: Readonly<Record<string, string | undefined>>): T {
  const annotations: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...object.metadata?.annotations, ...changes })) {
    if (value !== undefined) annotations[name] = value;
  }
  const isBare = Object.keys(annotations).length === 0;
  return { ...object, metadata: { ...object.metadata, annotations: isBare ? undefined : annotations } };
}

/** A copy with an annotation whose mere presence counts; the object itself if it has it already. */
export function marked<T extends KubeObject>(object: T, name: string): T {
  return isAnnotated(object, name) ? object : annotated(object, { [name]: YES });
}
