/** The ReplicaSet controller, whose code a ReplicationController shares through a {@link ReplicaKind} of its own. */
export { buildReplicaController, type ReplicaControllerParts } from "./build.ts";
export type { ReplicaContext } from "./context.ts";
export { REPLICASET_CONTROLLER } from "./controller.ts";
export { ownerHandler, podHandler, type ReplicaHandlerOptions } from "./handlers.ts";
export { type ReplicaKind, type ReplicaOwner, REPLICASET_KIND } from "./kind.ts";
export { deletionAgeRatio } from "./metrics.ts";
export { rankForDeletion } from "./ranking.ts";
export { computeStatus, type ObservedPods } from "./status.ts";
export { syncReplicas } from "./sync.ts";
