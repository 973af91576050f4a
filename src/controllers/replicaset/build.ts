import { PODS } from "../../api/mod.ts";
import { controllerIndexOf, ensureIndexer, POD_CONTROLLER_INDEX, type SharedInformer } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { PodControl, UidExpectations } from "../pods/mod.ts";
import { type Controller, type ControllerContext, queueController, type WriteGuard } from "../running/mod.ts";
import type { ReplicaContext } from "./context.ts";
import { ownerHandler, podHandler } from "./handlers.ts";
import type { ReplicaOwner } from "./kind.ts";
import { deletionAgeRatio } from "./metrics.ts";
import { syncReplicas } from "./sync.ts";

/** The parts that differ between the two kinds' controllers. */
export interface ReplicaControllerParts<T extends ReplicaOwner>
  extends Pick<ReplicaContext<T>, "kind" | "relatedPods"> {
  readonly owners: SharedInformer<T>;
  readonly workers: number;
  /** Absent for the kind that upstream does not guard. */
  readonly guard?: WriteGuard;
}

/** The fields of pods that are read, for counting and for the order of deletion. */
export const READ_OF_PODS = [
  "spec.nodeName",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "status.phase",
  "status.conditions",
  "status.containerStatuses.restartCount",
  "status.initContainerStatuses.name",
  "status.initContainerStatuses.restartCount",
];

/** The controller that keeps the number of pods of each object of a kind. */
export function buildReplicaController<T extends ReplicaOwner>(
  context: ControllerContext,
  { kind, owners, workers, guard, relatedPods }: ReplicaControllerParts<T>,
): Controller {
  const { world, metrics, informers, journal } = context;
  const pods = informers.informer(PODS, READ_OF_PODS);
  ensureIndexer(pods, POD_CONTROLLER_INDEX, controllerIndexOf);

  const client = context.clients.client(kind.component);
  const queue = new WorkQueue({ world, name: kind.queueName, metrics });
  const expectations = new UidExpectations(world.clock);
  const handling = { kind, owners: owners.lister, queue, expectations, guard };
  const caches = [owners.addEventHandler(ownerHandler(handling)), pods.addEventHandler(podHandler(handling))];
  const syncing: ReplicaContext<T> = {
    kind,
    world,
    client,
    podControl: new PodControl({ client, recorder: context.recorder(kind.component) }),
    owners: owners.lister,
    pods: pods.indexer,
    expectations,
    queue,
    guard,
    relatedPods,
    ageRatio: deletionAgeRatio(metrics),
  };
  return queueController({
    name: kind.controllerName,
    world,
    journal,
    resource: kind.resource,
    queue,
    caches,
    workers,
    sync: (key) => syncReplicas(key, syncing),
  });
}
