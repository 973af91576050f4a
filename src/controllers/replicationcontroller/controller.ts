import { REPLICATIONCONTROLLERS } from "../../api/mod.ts";
import type { Controller, ControllerContext } from "../running/mod.ts";
import { buildReplicaController } from "../replicaset/mod.ts";
import { REPLICATIONCONTROLLER_KIND } from "./kind.ts";

export function buildReplicationControllerController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  return buildReplicaController(context, {
    kind: { ...REPLICATIONCONTROLLER_KIND, ignoresDeletionCost: !context.gates.has("PodDeletionCost") },
    owners: context.informers.informer(REPLICATIONCONTROLLERS),
    workers,
    // Upstream looks for the other pods of a Deployment, and never finds any.
    relatedPods: () => Promise.resolve([]),
  });
}
