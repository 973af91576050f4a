import type { World } from "../../base/mod.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { LivePods } from "./live_pods.ts";

/** The inputs and clients of a sync. */
export interface ProtectionContext {
  readonly world: World;
  readonly client: Pick<Client, "list" | "update" | "updateStatus">;
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  /** Indexed by claim. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  /** Whether claims report since when they are unused: feature gate PersistentVolumeClaimUnusedSinceTime. */
  readonly tellsUnused: boolean;
}

/** The data shared by a batch of claims. */
export interface Batch {
  /** Those of the claim's namespace. */
  readonly livePods: LivePods;
  readonly signal: AbortSignal;
}
