import type { KubeObject, Pod } from "../../api/mod.ts";
import { controllerIndexValue, type Indexer, POD_CONTROLLER_INDEX } from "../../cache/mod.ts";

/** The pods that the object of this kind controls, by the index of pods by controller. */
export function podsControlledBy(indexer: Pick<Indexer<Pod>, "byIndex">, owner: KubeObject, kind: string): Pod[] {
  const { namespace, name = "", uid = "" } = owner.metadata ?? {};
  return indexer.byIndex(POD_CONTROLLER_INDEX, controllerIndexValue(namespace, { kind, name, uid }));
}

/** The pods of a namespace that have no controller. */
export function orphanPods(indexer: Pick<Indexer<Pod>, "byIndex">, namespace: string | undefined): Pod[] {
  return indexer.byIndex(POD_CONTROLLER_INDEX, controllerIndexValue(namespace));
}
