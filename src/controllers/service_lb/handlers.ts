import { type Node, objectKey, type Service } from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { Logger } from "../../base/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf, hasFinalizer } from "../running/mod.ts";
import type { KnownServices } from "./known_services.ts";
import { changesTargets, type TargetNodes } from "./target_nodes.ts";
import { FINALIZER, isBeingDeleted, needsCleanup, needsSync, needsUpdate } from "./wants.ts";

interface ServiceHandlerOptions {
  readonly queue: Pick<WorkQueue, "add">;
  readonly known: Pick<KnownServices, "get" | "forget">;
  readonly log: Logger;
}

/**
 * Queues new and changed Services. One that must still lose its balancer is queued with every replay of the cache.
 *
 * Departure: upstream does not look at Services that are gone. Here, if one was deleted because somebody removed our
 * finalizer, its balancer is deleted. One that disappears although it had the finalizer and was not being deleted is
 * forgotten and keeps its balancer: this only happens if the API server was restored from an old backup.
 */
export function serviceHandler({ queue, known, log }: ServiceHandlerOptions): EventHandler<Service> {
  return {
    onAdd: (service) => {
      if (needsSync(service)) queue.add(objectKey(service), cause("service", service, "added"));
    },
    onUpdate: (before, service) => {
      if (!needsUpdate(before, service) && !needsCleanup(service)) return;
      queue.add(objectKey(service), cause("service", service, changeOf(before, service)));
    },
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      if (!known.get(key)) return;
      const service = finalStateOf(deleted);
      if (service && (!hasFinalizer(service, FINALIZER) || isBeingDeleted(service))) {
        return queue.add(key, cause("service", service, "deleted"));
      }
      known.forget(key);
      log.error(
        "A service is gone that was not being deleted and had our finalizer; its load balancer, if any, is left alone",
        { service: key },
      );
    },
  };
}

/** Queues nodes when they are created, deleted, or change in a way that matters to balancers. */
export function nodeHandler(
  { queue, targets }: {
    readonly queue: Pick<WorkQueue, "add">;
    readonly targets: Pick<TargetNodes, "changed">;
  },
): EventHandler<Node> {
  return {
    onAdd: (node) => {
      targets.changed();
      queue.add(objectKey(node), cause("node", node, "added"));
    },
    onUpdate: (before, node) => {
      targets.changed();
      if (changesTargets(before, node)) queue.add(objectKey(node), cause("node", node, "updated"));
    },
    onDelete: (deleted) => {
      targets.changed();
      queue.add(deletedKey(deleted), cause("node", finalStateOf(deleted) ?? deletedKey(deleted), "deleted"));
    },
  };
}
