import { defineController, notPositive } from "../running/mod.ts";
import { buildReplicaSetController } from "./controller.ts";
import { REPLICASET_KIND } from "./kind.ts";

export { buildReplicaController, type ReplicaControllerParts } from "./build.ts";
export type { ReplicaContext } from "./context.ts";
export { ownerHandler, podHandler, type ReplicaHandlerOptions } from "./handlers.ts";
export { type ReplicaKind, type ReplicaOwner, REPLICASET_KIND } from "./kind.ts";
export { deletionAgeRatio } from "./metrics.ts";
export { rankForDeletion } from "./ranking.ts";
export { computeStatus, type ObservedPods } from "./status.ts";
export { syncReplicas } from "./sync.ts";

/** Keeps the number of pods of each ReplicaSet. Upstream: `pkg/controller/replicaset`. */
export const REPLICASET_CONTROLLER = defineController({
  name: REPLICASET_KIND.controllerName,
  aliases: ["replicaset"],
  group: "workloads",
  queues: [REPLICASET_KIND.queueName],
  options: {
    workers: {
      flag: "concurrent-replicaset-syncs",
      type: "int32",
      default: 5,
      help: "ReplicaSets worked on at a time",
      configz: "ReplicaSetController.ConcurrentRSSyncs",
      objection: notPositive,
    },
  },
  build: buildReplicaSetController,
});
