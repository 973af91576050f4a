import { type Endpoints, objectKey, type Service } from "../../api/mod.ts";
import { deletedKey, type EventHandler, type Lister } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, parentHandler } from "../running/mod.ts";

/** The annotation of Endpoints that serve as a leader election lock; they have no Service. */
const LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

type Queue = Pick<WorkQueue, "add">;

/** Every event of a Service queues it. */
export function serviceHandler(queue: Queue): EventHandler<Service> {
  return parentHandler({ kind: "service", queue });
}

/** Deleted Endpoints queue their Service, which may still exist. */
export function endpointsHandler(queue: Queue): EventHandler<Endpoints> {
  return {
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.add(key, cause("endpoints", key, "deleted"));
    },
  };
}

/**
 * Queues all Endpoints, because their Service may have been deleted while no manager was running.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (checkLeftoverEndpoints).
 */
export function queueLeftovers(endpoints: Pick<Lister<Endpoints>, "list">, queue: Queue): void {
  for (const object of endpoints.list()) {
    if (object.metadata?.annotations?.[LEADER_ANNOTATION] !== undefined) continue;
    queue.add(objectKey(object), cause("endpoints", object, "added"));
  }
}
