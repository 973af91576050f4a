import { type KubeObject, type Pod, PODS } from "../../api/mod.ts";
import { controllerIndexValue, type Indexer, POD_CONTROLLER_INDEX } from "../../cache/mod.ts";
import type { WriteGuard } from "../running/mod.ts";
import { claim, type ClaimOptions } from "./claim.ts";

/** The pods that the object of this kind controls, by the index of pods by controller. */
export function podsControlledBy(indexer: Pick<Indexer<Pod>, "byIndex">, owner: KubeObject, kind: string): Pod[] {
  const { namespace, name = "", uid = "" } = owner.metadata ?? {};
  return indexer.byIndex(POD_CONTROLLER_INDEX, controllerIndexValue(namespace, { kind, name, uid }));
}

/** The pods of a namespace that have no controller. */
export function orphanPods(indexer: Pick<Indexer<Pod>, "byIndex">, namespace: string | undefined): Pod[] {
  return indexer.byIndex(POD_CONTROLLER_INDEX, controllerIndexValue(namespace));
}

/** Who claims which pods. */
export interface ClaimPodsOptions<P extends KubeObject> extends Omit<ClaimOptions<P, Pod>, "resource" | "onPatched"> {
  /** Indexed by controller. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly guard: Pick<WriteGuard, "wrotePod">;
}

/**
 * A parent's pods in any state. Adopts matching orphans and releases pods that no longer match, as {@link claim} does.
 */
export function claimPods<P extends KubeObject>({ pods, guard, ...options }: ClaimPodsOptions<P>): Promise<Pod[]> {
  const { parent, parentResource } = options;
  const candidates = [
    ...podsControlledBy(pods, parent, parentResource.kind),
    ...orphanPods(pods, parent.metadata?.namespace),
  ];
  return claim(candidates, { ...options, resource: PODS, onPatched: (pod) => guard.wrotePod(pod) });
}
