import type { World } from "../../base/mod.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { TemplateEquivalence } from "../revisions/mod.ts";
import type { WriteGuard } from "../running/mod.ts";
import type { UnavailableGauges } from "./metrics.ts";

/** The requests that the StatefulSet controller makes to the API server. */
export type StatefulSetClient = Pick<Client, "get" | "create" | "update" | "updateStatus" | "patch" | "delete">;

/** The inputs and clients of a sync. */
export interface StatefulSetContext {
  readonly world: World;
  readonly client: StatefulSetClient;
  readonly recorder: EventRecorder;
  readonly queue: Pick<WorkQueue, "add" | "addAfter">;
  readonly sets: Pick<Lister<StatefulSet>, "get" | "list">;
  /** Pods with only the fields that are read: they cannot be written back. */
  readonly pods: Pick<Lister<Pod>, "get">;
  /** Indexed by controller. */
  readonly podIndexer: Pick<Indexer<Pod>, "byIndex">;
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  readonly revisions: Pick<Lister<ControllerRevision>, "get">;
  /** Indexed by controller. */
  readonly revisionIndexer: Pick<Indexer<ControllerRevision>, "byIndex">;
  readonly guard: WriteGuard;
  /** Absent without the gate `StatefulSetSemanticRevisionComparison`: revisions are compared by their bytes alone. */
  readonly equivalence: TemplateEquivalence | undefined;
  /** Present if the gate `MaxUnavailableStatefulSet` is on. */
  readonly unavailable: UnavailableGauges | undefined;
}
