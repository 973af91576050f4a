import type { World } from "../../base/mod.ts";
import type { Pod, ResourceSlice, ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { EvictionMetrics } from "../evictions/mod.ts";
import type { WakingTime } from "../nodes/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { Evidence } from "./decision.ts";
import type { EvictingRules, Rule } from "./evicting_rules.ts";
import type { TaintedDevices } from "./tainted_devices.ts";

/** The state of a cached pod beyond the cache. */
export type Standing =
  /** It must be evicted. */
  | {
    readonly state: "pending";
    readonly uid: string;
    /** Names of rules that are among the reasons. */
    readonly rules: readonly string[];
    /** When its timer is due, by the monotonic clock; absent if it has none. */
    readonly plannedMs?: number;
  }
  /** It was evicted, and will not be again. */
  | { readonly state: "evicted"; readonly uid: string };

/** The handlers' context. */
export interface HandlerContext {
  readonly queue: Pick<WorkQueue, "add">;
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly devices: Pick<TaintedDevices, "change">;
  readonly rules: Pick<EvictingRules, "change">;
  /** Keys of devices whose taints have changed and whose users were not looked up yet. */
  readonly changed: Set<string>;
  /** Pods that were evicted because of a rule since the start, by the rule's UID. */
  readonly evictedBy: Map<string, number>;
  readonly withGroups: boolean;
}

/** The inputs and clients of syncs. */
export interface DeviceEvictionContext extends Evidence {
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch" | "delete" | "apply">;
  readonly recorder: EventRecorder;
  readonly metrics: EvictionMetrics;
  readonly queue: Pick<WorkQueue, "add" | "addAfter" | "withdraw">;
  readonly time: Pick<WakingTime, "settlingMs">;
  readonly pods: Pick<Lister<Pod>, "get">;
  readonly podIndexer: Pick<Indexer<Pod>, "byIndex">;
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "get" | "list">;
  /** With the index of devices. */
  readonly claimIndexer: Pick<Indexer<ResourceV1ResourceClaim>, "byIndex">;
  readonly slices: Pick<Lister<ResourceSlice>, "list">;
  readonly devices: TaintedDevices;
  /** Empty where the gate of rules is off. */
  readonly ruleLister: Pick<Lister<Rule>, "get">;
  readonly standings: Map<string, Standing>;
  readonly changed: Set<string>;
  readonly evictedBy: Map<string, number>;
}
