import { type Endpoints, objectKey, type Service } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { isMirrorable } from "./mirrorable.ts";

/** Queues Endpoints that must be mirrored, or had to be before. */
export function endpointsHandler(queue: Pick<WorkQueue, "add">): EventHandler<Endpoints> {
  return {
    onAdd: (endpoints) => {
      if (isMirrorable(endpoints)) queue.add(objectKey(endpoints), cause("endpoints", endpoints, "added"));
    },
    onUpdate: (before, endpoints) => {
      if (!isMirrorable(before) && !isMirrorable(endpoints)) return;
      queue.add(objectKey(endpoints), cause("endpoints", endpoints, changeOf(before, endpoints)));
    },
    onDelete: (deleted) => {
      const endpoints = finalStateOf(deleted);
      if (endpoints && isMirrorable(endpoints)) {
        queue.add(objectKey(endpoints), cause("endpoints", endpoints, "deleted"));
      }
    },
  };
}

/**
 * Services without a selector queue the Endpoints of their name, and so does a Service that gains or loses its
 * selector.
 */
export function serviceHandler(queue: Pick<WorkQueue, "add">): EventHandler<Service> {
  return {
    onAdd: (service) => {
      if (!service.spec?.selector) queue.add(objectKey(service), cause("service", service, "added"));
    },
    onUpdate: (before, service) => {
      if (!service.spec?.selector === !before.spec?.selector) return;
      queue.add(objectKey(service), cause("service", service, changeOf(before, service)));
    },
    onDelete: (deleted) => {
      const service = finalStateOf(deleted);
      if (service && !service.spec?.selector) queue.add(objectKey(service), cause("service", service, "deleted"));
    },
  };
}
