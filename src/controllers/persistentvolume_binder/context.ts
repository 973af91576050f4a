import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { ControllerFolders, Journal } from "../running/mod.ts";
import type { PendingOperations, VolumePlugins } from "../volumes/mod.ts";
import type { FreeVolumes } from "./free_volumes.ts";
import type { BinderMetrics } from "./metrics.ts";
import type { OperationTimes } from "./operation_times.ts";
import type { PrivateCache } from "./private_cache.ts";
import type { RecyclerOptions } from "./recycler_pod.ts";

/** What syncs read, and what they act with. */
export interface BinderContext {
  readonly world: Pick<World, "clock" | "log">;
  readonly journal: Journal;
  readonly client: Pick<
    Client,
    "get" | "create" | "update" | "updateStatus" | "delete" | "requestText"
  >;
  readonly recorder: EventRecorder;
  /** The caches for decisions. */
  readonly volumes: PrivateCache<PersistentVolume>;
  readonly free: FreeVolumes;
  readonly claims: PrivateCache<PersistentVolumeClaim>;
  /** What the informers show. */
  readonly shownVolumes: Pick<Indexer<PersistentVolume>, "get" | "has" | "keys" | "resourceVersion">;
  readonly shownClaims: Pick<Indexer<PersistentVolumeClaim>, "get" | "has" | "keys" | "resourceVersion">;
  readonly pods: Pick<Indexer<Pod>, "get" | "byIndex">;
  readonly classes: Pick<Lister<StorageClass>, "get" | "list">;
  readonly nodes: Pick<Lister<Node>, "get">;
  readonly volumeQueue: Pick<WorkQueue, "add">;
  readonly claimQueue: Pick<WorkQueue, "add">;
  readonly operations: PendingOperations;
  readonly plugins: VolumePlugins;
  readonly recyclers: RecyclerOptions;
  readonly folders: ControllerFolders;
  readonly metrics: BinderMetrics;
  readonly times: OperationTimes;
  readonly isProvisioning: boolean;
  readonly provisionsHostPaths: boolean;
  /** Aborts when the controller is to end. */
  readonly signal: AbortSignal;
}
