import { REPLICATIONCONTROLLERS } from "../../api/mod.ts";
import { type ControllerDescriptor, defineController } from "../running/mod.ts";
import { buildReplicaController } from "../replicaset/mod.ts";
import { REPLICATIONCONTROLLER_KIND } from "./kind.ts";

/** Keeps the number of pods of each ReplicationController. Upstream: `pkg/controller/replication`. */
export const REPLICATIONCONTROLLER_CONTROLLER: ControllerDescriptor = defineController(
  REPLICATIONCONTROLLER_KIND.controllerName,
  (context) =>
    buildReplicaController(context, {
      kind: {
        ...REPLICATIONCONTROLLER_KIND,
        ignoresDeletionCost: context.options.disabledGates?.has("PodDeletionCost"),
      },
      owners: context.informers.informer(REPLICATIONCONTROLLERS),
      workers: context.options.concurrentReplicationControllerSyncs,
      // Upstream looks for the other pods of a Deployment, and never finds any.
      relatedPods: () => Promise.resolve([]),
    }),
);
