import { apiVersionOf, joinKey, type KubeObject, type Resource } from "../../api/mod.ts";
import {
  type DeletedFinalStateUnknown,
  type EventHandler,
  finalStateOf,
  type HandlerOptions,
  type HandlerRegistration,
  waitForCacheSync,
} from "../../cache/mod.ts";
import { errorText } from "../common/mod.ts";
import type { GraphChange, MonitoredKind } from "./graph_change.ts";
import type { Identity } from "./identity.ts";

/** The part of a shared informer that a monitor uses. */
export interface MonitoredInformer {
  readonly indexer: { get(key: string): KubeObject | undefined };
  addEventHandler(handler: EventHandler<KubeObject>, options?: HandlerOptions): HandlerRegistration;
  removeEventHandler(registration: HandlerRegistration): Promise<void>;
}

/** Where informers come from: the process's shared ones. */
export interface InformerSource {
  informer(resource: Resource): MonitoredInformer;
  /** Starts those that do not run yet; they end when `signal` aborts. */
  start(signal: AbortSignal): void;
  /** Ends the informer of a resource that is served no more, if nobody else listens to it. */
  drop(resource: Resource): Promise<void>;
}

/** Where the garbage collector's monitors get their informers: full ones where the process has them anyway. */
export function informerSource(
  { informers, metadataInformers }: {
    informers: { has(resource: Resource): boolean } & Pick<InformerSource, "informer">;
    metadataInformers: InformerSource;
  },
): InformerSource {
  return {
    informer: (resource) => (informers.has(resource) ? informers : metadataInformers).informer(resource),
    start: (signal) => metadataInformers.start(signal),
    drop: (resource) => metadataInformers.drop(resource),
  };
}

/** The part of a work queue that monitors fill. */
export interface ChangeQueue {
  add(change: GraphChange, cause?: string): void;
}

interface Monitor {
  readonly resource: Resource;
  readonly informer: MonitoredInformer;
  readonly registration: HandlerRegistration;
}

/** Names a resource in one version: monitors are kept by it. */
export function resourceKey({ group, version, plural }: Resource): string {
  return `${group}/${version}/${plural}`;
}

/**
 * One informer for every resource that can be garbage or own it, each feeding the queue of graph changes.
 *
 * Contract:
 * 1. Every change of a monitored object becomes one graph change, in order; a missed deletion becomes a deletion, and an
 *    object that was replaced under its name becomes a deletion and an addition.
 * 2. After `sync` the monitors are those of the given resources, as far as they could be made.
 * 3. A dropped monitor feeds the queue no more and its informer ends; the graph keeps what it knows.
 *
 * Upstream: `pkg/controller/garbagecollector/graph_builder.go` (syncMonitors).
 */
export class Monitors {
  readonly #source: InformerSource;
  readonly #changes: ChangeQueue;
  #monitors = new Map<string, Monitor>();

  constructor({ source, changes }: { source: InformerSource; changes: ChangeQueue }) {
    this.#source = source;
    this.#changes = changes;
  }

  get size(): number {
    return this.#monitors.size;
  }

  isSynced(resource: Resource): boolean {
    return this.#monitors.get(resourceKey(resource))?.registration.hasSynced === true;
  }

  /**
   * Keeps, adds and drops monitors to match `resources`; does not start the new ones.
   *
   * @returns When the dropped ones have fallen silent.
   * @throws {AggregateError} If some could not be made; the others were.
   */
  async sync(resources: Iterable<Resource>): Promise<void> {
    const dropped = this.#monitors;
    const errors: Error[] = [];
    this.#monitors = new Map();
    for (const resource of resources) {
      const key = resourceKey(resource);
      const kept = dropped.get(key);
      dropped.delete(key);
      try {
        this.#monitors.set(key, kept ?? this.#monitor(resource));
      } catch (error) {
        errors.push(new Error(`couldn't start monitor for resource "${key}": ${errorText(error)}`, { cause: error }));
      }
    }
    for (const { resource, informer, registration } of dropped.values()) {
      await informer.removeEventHandler(registration);
      await this.#source.drop(resource);
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join(", "));
  }

  /** Starts the monitors that do not run yet; they end when `signal` aborts. */
  start(signal: AbortSignal): void {
    this.#source.start(signal);
  }

  /** Resolves to `true` once every present monitor has delivered its initial list, to `false` once `signal` aborts. */
  whenSynced(signal: AbortSignal): Promise<boolean> {
    return waitForCacheSync(signal, ...[...this.#monitors.values()].map(({ registration }) => registration));
  }

  /** What the informer of this resource holds for `identity`, if it is the same object. */
  cached(resource: Resource, { namespace, name, uid }: Identity): KubeObject | undefined {
    const monitor = this.#monitors.get(resourceKey(resource));
    const object = monitor?.informer.indexer.get(joinKey(resource.namespaced ? namespace : undefined, name));
    return object?.metadata?.uid === uid ? object : undefined;
  }

  #monitor(resource: Resource): Monitor {
    const of = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    const informer = this.#source.informer(resource);
    return { resource, informer, registration: informer.addEventHandler(this.#handler(of), { resyncPeriodMs: 0 }) };
  }

  #handler(of: MonitoredKind): EventHandler<KubeObject> {
    // One text for all: each change is an item of its own, and there are as many as there are events in the cluster.
    const add = (change: GraphChange) => this.#changes.add(change, "seen by a monitor");
    return {
      onAdd: (object) => add({ type: "add", of, object }),
      onUpdate: (old, object) => {
        if (old.metadata?.uid === object.metadata?.uid) return add({ type: "update", of, old, object });
        add({ type: "delete", of, object: old });
        add({ type: "add", of, object });
      },
      onDelete: (deleted: KubeObject | DeletedFinalStateUnknown<KubeObject>) => {
        const object = finalStateOf(deleted);
        if (object) add({ type: "delete", of, object }); // without its last state its UID is unknown
      },
    };
  }
}
