import { joinKey, type Pod } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";
import { claimNamesOf } from "./claims.ts";

const BY_CLAIM = "pod-pvc-index";

/** Indexes pods by the claims that their volumes name. Upstream: `pkg/controller/volume/common` (PodPVCIndexFunc). */
export function indexPodsByClaim(pods: Indexable<Pod>): void {
  ensureIndexer(
    pods,
    BY_CLAIM,
    (pod) => claimNamesOf(pod).map((name) => joinKey(pod.metadata?.namespace, name)),
  );
}

/** The pods whose volumes name a claim, by the index of {@link indexPodsByClaim}. */
export function podsNaming(indexer: Pick<Indexer<Pod>, "byIndex">, claimKey: string): Pod[] {
  return indexer.byIndex(BY_CLAIM, claimKey);
}
