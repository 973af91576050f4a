import { controllerOf, type KubeObject, type Pod } from "../api/mod.ts";
import type { Indexers, IndexFunction } from "./index_table.ts";

/** The index every informer has: `metadata.namespace`. */
export const NAMESPACE_INDEX = "namespace";

/** Pods by the node they run on; pods without a node are in no set. */
export const NODE_NAME_INDEX = "spec.nodeName";

/** Pods by {@link controllerIndexValue}. */
export const POD_CONTROLLER_INDEX = "podController";

/** ControllerRevisions by {@link controllerIndexValue}. */
export const CONTROLLER_REVISION_CONTROLLER_INDEX = "controllerRevisionController";

/** The index function of {@link NAMESPACE_INDEX}. */
export function namespaceOf(object: KubeObject): readonly string[] {
  return [object.metadata?.namespace ?? ""];
}

/** The index function of {@link NODE_NAME_INDEX}. */
export function nodeNameOf(pod: Pod): readonly string[] {
  return pod.spec?.nodeName ? [pod.spec.nodeName] : [];
}

/** A controller's identity for {@link controllerIndexValue}. */
export interface ControllerIdentity {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * The value under which the objects of one controller are found: `<namespace>/<Kind>/<name>/<uid>`, or the namespace
 * alone for objects without a controller. Upstream: `pkg/controller/controller_utils.go` (AddPodControllerIndexer).
 */
export function controllerIndexValue(namespace: string | undefined, controller?: ControllerIdentity): string {
  if (!controller) return namespace ?? "";
  return `${namespace ?? ""}/${controller.kind}/${controller.name}/${controller.uid}`;
}

/** The index function of {@link POD_CONTROLLER_INDEX} and {@link CONTROLLER_REVISION_CONTROLLER_INDEX}. */
export function controllerIndexOf(object: KubeObject): readonly string[] {
  return [controllerIndexValue(object.metadata?.namespace, controllerOf(object))];
}

/** An informer or an indexer, for {@link ensureIndexer}. */
export interface Indexable<T> {
  hasIndexer(name: string): boolean;
  addIndexers(indexers: Indexers<T>): void;
}

/** Adds the index unless another user of the informer already has. */
export function ensureIndexer<T>(to: Indexable<T>, name: string, valuesOf: IndexFunction<T>): void {
  if (!to.hasIndexer(name)) to.addIndexers({ [name]: valuesOf });
}
