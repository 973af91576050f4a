import { controllerOf, joinKey, type Pod, POD_TEMPLATE_HASH_LABEL, type ReplicaSet } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer, type Lister } from "../../cache/mod.ts";
import { replicaSetsControlledBy } from "../pods/mod.ts";
import { validSelectorOfCached } from "../running/mod.ts";

/** Pods by namespace and the value of their label `pod-template-hash`; pods without it are in no set. */
const TEMPLATE_HASH_INDEX = "podTemplateHash";

/** Where the pods and ReplicaSets are looked up. */
export interface RelatedPodsOptions {
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly podLister: Pick<Lister<Pod>, "list">;
  readonly replicaSets: Pick<Indexer<ReplicaSet>, "byIndex">;
}

/** Adds the index that saves {@link relatedPods} from scanning all pods of a namespace. */
export function indexPodsByTemplateHash(informer: Indexable<Pod>): void {
  ensureIndexer(informer, TEMPLATE_HASH_INDEX, (pod) => {
    const hash = pod.metadata?.labels?.[POD_TEMPLATE_HASH_LABEL];
    return hash === undefined ? [] : [joinKey(pod.metadata?.namespace, hash)];
  });
}

/**
 * The pods of `replicaSet` and its siblings in the same Deployment: all whose labels match the selector of a ReplicaSet
 * with the same controller, including this one. Each pod once, in any state; none for a ReplicaSet without a
 * controller. One step per examined pod, which may be every pod of the namespace for each ReplicaSet.
 *
 * Upstream: `pkg/controller/replicaset/replica_set.go` (getIndirectlyRelatedPods).
 */
export function* relatedPods(replicaSet: ReplicaSet, options: RelatedPodsOptions): Generator<void, Pod[]> {
  const controller = controllerOf(replicaSet);
  if (!controller) return [];
  const related = new Map<string | undefined, Pod>();
  const namespace = replicaSet.metadata?.namespace;
  for (const sibling of replicaSetsControlledBy(options.replicaSets, { namespace, uid: controller.uid })) {
    const selector = validSelectorOfCached(sibling.spec?.selector);
    if (!selector) continue;
    for (const pod of candidatesFor(sibling, options)) {
      yield;
      if (selector.matches(pod.metadata?.labels)) related.set(pod.metadata?.uid, pod);
    }
  }
  return [...related.values()];
}

/** A superset of the pods that the ReplicaSet selects, as small as the indexes allow. */
function candidatesFor(replicaSet: ReplicaSet, { pods, podLister }: RelatedPodsOptions): Pod[] {
  const namespace = replicaSet.metadata?.namespace;
  const hash = replicaSet.spec?.selector.matchLabels?.[POD_TEMPLATE_HASH_LABEL];
  return hash === undefined
    ? podLister.list({ namespace })
    : pods.byIndex(TEMPLATE_HASH_INDEX, joinKey(namespace, hash));
}
