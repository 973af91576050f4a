import { apiVersionOf, joinKey, type KubeObject, type Resource } from "../../api/mod.ts";
import { type DeletedFinalStateUnknown, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { type InformerSource, type MonitoredInformer, MonitorSet } from "../monitors/mod.ts";
import type { GraphChange, MonitoredKind } from "./graph_change.ts";
import type { Identity } from "./identity.ts";

/** A monitored informer whose objects can be looked up. */
export interface IndexedInformer extends MonitoredInformer {
  readonly indexer: { get(key: string): KubeObject | undefined };
}

/** The part of a work queue that monitors fill. */
export interface ChangeQueue {
  add(change: GraphChange, cause?: string): void;
}

/**
 * One informer for every resource that can be garbage or own it, each feeding the queue of graph changes.
 *
 * Contract:
 * 1. Every change of a monitored object becomes one graph change, in order; a missed deletion becomes a deletion, and
 *    an object that was replaced under its name becomes a deletion and an addition.
 * 2. After `sync` the monitors are those of the given resources, as far as they could be made.
 * 3. A dropped monitor feeds the queue no more and its informer ends; the graph keeps what it knows.
 *
 * Upstream: `pkg/controller/garbagecollector/graph_builder.go` (syncMonitors).
 */
export class Monitors extends MonitorSet<IndexedInformer> {
  constructor({ source, changes }: { source: InformerSource<IndexedInformer>; changes: ChangeQueue }) {
    super({
      source,
      handlerOf: (resource) => handlerOf({ apiVersion: apiVersionOf(resource), kind: resource.kind }, changes),
      handlerOptions: { resyncPeriodMs: 0 },
    });
  }

  /** The cached object of this resource for `identity`, if it is the same object. */
  cached(resource: Resource, { namespace, name, uid }: Identity): KubeObject | undefined {
    const object = this.of(resource)?.informer.indexer.get(joinKey(resource.namespaced ? namespace : undefined, name));
    return object?.metadata?.uid === uid ? object : undefined;
  }

  /** Whether its monitor is about to tell of this object, or of its absence: it is still listing, or has it cached. */
  isAwaited(resource: Resource, identity: Identity): boolean {
    const monitor = this.of(resource);
    if (!monitor) return false;
    return !monitor.registration.hasSynced || this.cached(resource, identity) !== undefined;
  }
}

function handlerOf(of: MonitoredKind, changes: ChangeQueue): EventHandler<KubeObject> {
  // One shared text: each change is a separate item, and there are as many as events in the cluster.
  const add = (change: GraphChange) => changes.add(change, "seen by a monitor");
  return {
    onAdd: (object) => add({ type: "add", of, object }),
    onUpdate: (old, object) => {
      if (old.metadata?.uid === object.metadata?.uid) return add({ type: "update", of, old, object });
      add({ type: "delete", of, object: old });
      add({ type: "add", of, object });
    },
    onDelete: (deleted: KubeObject | DeletedFinalStateUnknown<KubeObject>) => {
      const object = finalStateOf(deleted);
      if (object) add({ type: "delete", of, object }); // without its last state, its UID is unknown
    },
  };
}
