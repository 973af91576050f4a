import { type Endpoints, objectKey, type Service } from "../../api/mod.ts";
import { deletedKey, type EventHandler, type Lister } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, parentHandler } from "../running/mod.ts";

/** Annotation of Endpoints that are somebody's lock for electing a leader; they have no Service. */
const LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

type Queue = Pick<WorkQueue, "add">;

/** Whatever happens to a Service queues it. */
export function serviceHandler(queue: Queue): EventHandler<Service> {
  return parentHandler({ kind: "service", queue });
}

/** Endpoints that are deleted queue their Service, which may still be there. */
export function endpointsHandler(queue: Queue): EventHandler<Endpoints> {
  return {
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.add(key, cause("endpoints", key, "deleted"));
    },
  };
}

/**
 * Queues all Endpoints, since their Service may have gone while nobody looked.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (checkLeftoverEndpoints).
 */
export function queueLeftovers(endpoints: Pick<Lister<Endpoints>, "list">, queue: Queue): void {
  for (const object of endpoints.list()) {
    if (object.metadata?.annotations?.[LEADER_ANNOTATION] !== undefined) continue;
    queue.add(objectKey(object), cause("endpoints", object, "added"));
  }
}
