import type { LruMap, TurnBudget, World } from "../../base/mod.ts";
import type { Pod, PodGroup, ResourceClaimTemplate, ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { CreatedClaims } from "./created_claims.ts";
import type { ClaimMetrics } from "./metrics.ts";

/** The handlers' context. */
export interface HandlerContext {
  readonly queue: Pick<WorkQueue, "add">;
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "get">;
  /** Groups of pods, if they count. */
  readonly groups?: Pick<Indexer<PodGroup>, "byIndex" | "get">;
  /** UIDs of pods and groups that are known to be gone. */
  readonly gone: LruMap<string, true>;
  readonly created: CreatedClaims;
  readonly budget: TurnBudget;
}

/** The inputs and clients of syncs. */
export interface ClaimContext {
  readonly world: World;
  readonly client: Pick<Client, "getMetadata" | "create" | "update" | "updateStatus" | "apply" | "delete">;
  readonly recorder: EventRecorder;
  readonly pods: Pick<Lister<Pod>, "get">;
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "get">;
  /** Groups of pods, where these count. */
  readonly groups?: Pick<Lister<PodGroup>, "get">;
  readonly templates: Pick<Lister<ResourceClaimTemplate>, "get">;
  readonly created: CreatedClaims;
  readonly gone: Pick<LruMap<string, true>, "get">;
  readonly metrics: ClaimMetrics;
  /** Names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>;
}
