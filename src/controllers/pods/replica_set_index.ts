import { controllerOf, type ReplicaSet } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";

/** ReplicaSets by the uid of their controller. */
const CONTROLLER_UID_INDEX = "controllerUID";

/** Adds the index of ReplicaSets by controller to their informer, unless it is there. */
export function indexReplicaSets(informer: Indexable<ReplicaSet>): void {
  ensureIndexer(informer, CONTROLLER_UID_INDEX, controllerUid);
}

/**
 * The ReplicaSets whose controller has this uid. Only those of the owner's namespace count, whatever other references
 * claim.
 */
export function replicaSetsControlledBy(
  indexer: Pick<Indexer<ReplicaSet>, "byIndex">,
  { namespace, uid }: { readonly namespace?: string; readonly uid?: string },
): ReplicaSet[] {
  const controlled = indexer.byIndex(CONTROLLER_UID_INDEX, uid ?? "");
  return controlled.filter(({ metadata }) => metadata?.namespace === namespace);
}

/** The ReplicaSets of a namespace that have no controller. */
export function orphanReplicaSets(
  indexer: Pick<Indexer<ReplicaSet>, "byIndex">,
  namespace: string | undefined,
): ReplicaSet[] {
  return indexer.byIndex(CONTROLLER_UID_INDEX, orphansOf(namespace));
}

function controllerUid(replicaSet: ReplicaSet): readonly string[] {
  return [controllerOf(replicaSet)?.uid ?? orphansOf(replicaSet.metadata?.namespace)];
}

/** No uid contains a slash. */
function orphansOf(namespace: string | undefined): string {
  return `orphans/${namespace ?? ""}`;
}
