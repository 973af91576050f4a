import type { ControllerRevision, KubeObject } from "../../api/mod.ts";
import {
  CONTROLLER_REVISION_CONTROLLER_INDEX,
  controllerIndexOf,
  controllerIndexValue,
  ensureIndexer,
  type Indexable,
  type Indexer,
} from "../../cache/mod.ts";

/** Adds the index of revisions by controller to their informer, unless somebody has already. */
export function indexRevisions(informer: Indexable<ControllerRevision>): void {
  ensureIndexer(informer, CONTROLLER_REVISION_CONTROLLER_INDEX, controllerIndexOf);
}

/** The revisions that the object of this kind controls, and those of its namespace that nobody controls. */
export function ownAndOrphanRevisions(
  indexer: Pick<Indexer<ControllerRevision>, "byIndex">,
  owner: KubeObject,
  kind: string,
): ControllerRevision[] {
  const { namespace, name = "", uid = "" } = owner.metadata ?? {};
  return [controllerIndexValue(namespace, { kind, name, uid }), controllerIndexValue(namespace)]
    .flatMap((value) => indexer.byIndex(CONTROLLER_REVISION_CONTROLLER_INDEX, value));
}
