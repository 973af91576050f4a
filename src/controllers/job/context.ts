import type { World } from "../../base/mod.ts";
import type { Job, Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { Expectations, PodControl } from "../pods/mod.ts";
import type { WriteGuard } from "../running/mod.ts";
import type { Backoff } from "./backoff.ts";
import type { FinalizerExpectations } from "./finalizer_expectations.ts";
import type { GangGroups } from "./gang_groups.ts";
import type { JobMetrics } from "./metrics.ts";

/** The requests that the Job controller makes to the API server, besides creating and deleting pods. */
export type JobClient = Pick<Client, "get" | "patch" | "patchMetadata" | "updateStatus">;

/** The inputs, clients and memory of a sync. */
export interface JobContext {
  readonly world: World;
  readonly client: JobClient;
  readonly podControl: PodControl;
  readonly recorder: EventRecorder;
  readonly jobs: Pick<Lister<Job>, "get" | "list">;
  /** Indexed by controller. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly podLister: Pick<Lister<Pod>, "get" | "list">;
  readonly queue: Pick<WorkQueue, "addAfter">;
  /** Keys of {@link orphanKey} and {@link selectorKey}. */
  readonly orphans: Pick<WorkQueue, "add">;
  readonly expectations: Expectations;
  readonly finalizers: FinalizerExpectations;
  readonly guard: WriteGuard;
  /** By the Job's key. */
  readonly backoffs: Map<string, Backoff>;
  /** Uids of Jobs that our last write ended, which the cache may not show yet. */
  readonly ended: Set<string>;
  readonly metrics: JobMetrics;
  /** With the gate `WorkloadWithJob`. */
  readonly gangs?: Pick<GangGroups, "groupOf">;
  /** Whether a suspended Job keeps its start time, which is so without the gate for mutable scheduling directives. */
  readonly keepsStartTime?: boolean;
}
