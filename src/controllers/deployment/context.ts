import type { World } from "../../base/mod.ts";
import type { Deployment, Pod, ReplicaSet } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The requests that the Deployment controller makes to the API server. */
export type DeploymentClient = Pick<
  Client,
  "get" | "list" | "create" | "update" | "updateStatus" | "patch" | "delete"
>;

/** The inputs and clients of a sync. */
export interface DeploymentContext {
  readonly world: World;
  readonly client: DeploymentClient;
  readonly recorder: EventRecorder;
  readonly queue: Pick<WorkQueue, "add" | "addAfter" | "addRateLimited" | "numRequeues">;
  readonly deployments: Pick<Lister<Deployment>, "get" | "list">;
  readonly replicaSets: Pick<Lister<ReplicaSet>, "get">;
  /** Indexed by controller. */
  readonly replicaSetIndexer: Pick<Indexer<ReplicaSet>, "byIndex">;
  /** Indexed by controller. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
}
