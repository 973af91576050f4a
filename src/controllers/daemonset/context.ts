import type { World } from "../../base/mod.ts";
import type { ControllerRevision, DaemonSet, Node, Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { Expectations, PodControl } from "../pods/mod.ts";
import type { WriteGuard } from "../running/mod.ts";
import type { FailedPodBackoff } from "./failed_pod_backoff.ts";

/** The requests that the DaemonSet controller makes to the API server. */
export type DaemonSetClient = Pick<Client, "get" | "create" | "update" | "updateStatus" | "patch" | "delete">;

/** The inputs and clients of a sync. */
export interface DaemonSetContext {
  readonly world: World;
  readonly client: DaemonSetClient;
  readonly recorder: EventRecorder;
  readonly podControl: PodControl;
  readonly queue: Pick<WorkQueue, "add" | "addAfter">;
  /** Names of nodes that have changed. */
  readonly nodeQueue: Pick<WorkQueue, "add">;
  readonly daemonSets: Pick<Lister<DaemonSet>, "get" | "list">;
  readonly nodes: Pick<Lister<Node>, "get" | "list">;
  /** Indexed by controller and by node. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  /** Indexed by controller. */
  readonly revisions: Pick<Indexer<ControllerRevision>, "byIndex">;
  readonly expectations: Expectations;
  readonly guard: WriteGuard;
  readonly failedPods: FailedPodBackoff;
}
