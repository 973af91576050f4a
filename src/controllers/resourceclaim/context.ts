import type { LruMap, TurnBudget, World } from "../../base/mod.ts";
import type { Pod, PodGroup, ResourceClaimTemplate, ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { CreatedClaims } from "./created_claims.ts";
import type { ClaimMetrics } from "./metrics.ts";

/** Who may hold a reservation, by key. */
export interface Holders {
  readonly pods: Pick<Indexer<Pod>, "get">;
  /** Groups of pods, if they count. */
  readonly groups?: Pick<Indexer<PodGroup>, "get">;
  /** UIDs of pods and groups that are known to be gone. */
  readonly gone: Pick<LruMap<string, true>, "get">;
}

/** The handlers' context. */
export interface HandlerContext extends Holders {
  readonly queue: Pick<WorkQueue, "add">;
  readonly pods: Pick<Indexer<Pod>, "byIndex" | "get">;
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "get">;
  readonly groups?: Pick<Indexer<PodGroup>, "byIndex" | "get">;
  readonly gone: LruMap<string, true>;
  readonly created: CreatedClaims;
  readonly budget: TurnBudget;
}

/** The inputs and clients of syncs. */
export interface ClaimContext extends Holders {
  readonly world: World;
  readonly client: Pick<
    Client,
    "getMetadata" | "createMetadata" | "update" | "updateStatus" | "patchMetadata" | "delete"
  >;
  readonly recorder: EventRecorder;
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "get">;
  readonly templates: Pick<Lister<ResourceClaimTemplate>, "get">;
  readonly created: CreatedClaims;
  readonly metrics: ClaimMetrics;
  /** Names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>;
}
