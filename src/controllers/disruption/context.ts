import type { World } from "../../base/mod.ts";
import type {
  Deployment,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client, RestMapper } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** An owner of pods, and how many it wants. */
export interface OwnerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** The clients for asking the API server how many pods an owner wants. */
export interface ScaleContext {
  readonly world: World;
  readonly client: Pick<Client, "get" | "request">;
  readonly mapper: Pick<RestMapper, "resourceFor">;
}

/** The built-in owners of pods, whose scale is read from their caches. */
export interface OwnerContext extends ScaleContext {
  readonly replicationControllers: Pick<Lister<ReplicationController>, "get">;
  readonly replicaSets: Pick<Lister<ReplicaSet>, "get">;
  readonly deployments: Pick<Lister<Deployment>, "get">;
  readonly statefulSets: Pick<Lister<StatefulSet>, "get">;
}

/** The inputs and clients of the syncs of budgets and pods. */
export interface DisruptionContext extends OwnerContext {
  readonly client: Pick<Client, "get" | "request" | "updateStatus">;
  readonly recorder: EventRecorder;
  readonly budgets: Pick<Lister<PodDisruptionBudget>, "get" | "list">;
  readonly pods: Pick<Lister<Pod>, "get" | "list">;
  /** Budgets. */
  readonly queue: Pick<WorkQueue, "add" | "addRateLimited">;
  /** Budgets with pods that are expected to be deleted, until they should have been. */
  readonly rechecks: Pick<WorkQueue, "addAfter">;
  /** Pods with a stale disruption condition, until it is reset. */
  readonly stalePods: Pick<WorkQueue, "addAfter">;
}
