import { errorText } from "../../base/mod.ts";
import { type KubeObject, type Resource, resourceKey } from "../../api/mod.ts";
import { type EventHandler, type HandlerOptions, type HandlerRegistration, waitForCacheSync } from "../../cache/mod.ts";
import type { InformerSource, MonitoredInformer } from "./informer_source.ts";

/** One resource, its informer, and what listens to it. */
export interface Monitor<I extends MonitoredInformer> {
  readonly resource: Resource;
  readonly informer: I;
  readonly registration: HandlerRegistration;
}

export interface MonitorSetOptions<I extends MonitoredInformer> {
  readonly source: InformerSource<I>;
  /** Handles events of a resource's objects. */
  readonly handlerOf: (resource: Resource) => EventHandler<KubeObject>;
  readonly handlerOptions?: HandlerOptions;
}

/**
 * Handlers on the informers of every resource that discovery names.
 *
 * Contract:
 * 1. A resource that stays keeps its monitor, and with it what it was told.
 * 2. A resource that is gone is no longer listened to, and its informer ends unless somebody else listens to it.
 * 3. One monitor that cannot be made leaves the others untouched.
 *
 * Upstream: syncMonitors of `pkg/controller/garbagecollector` and `pkg/controller/resourcequota`.
 */
export class MonitorSet<I extends MonitoredInformer = MonitoredInformer> {
  readonly #options: MonitorSetOptions<I>;
  #monitors = new Map<string, Monitor<I>>();

  constructor(options: MonitorSetOptions<I>) {
    this.#options = options;
  }

  get size(): number {
    return this.#monitors.size;
  }

  /** The monitor of a resource in this version. */
  of(resource: Resource): Monitor<I> | undefined {
    return this.#monitors.get(resourceKey(resource));
  }

  [Symbol.iterator](): Iterator<Monitor<I>> {
    return this.#monitors.values();
  }

  isSynced(resource: Resource): boolean {
    return this.of(resource)?.registration.hasSynced === true;
  }

  /**
   * Keeps, adds and drops monitors to match `resources`; does not start the new ones.
   *
   * @returns Once the dropped ones deliver nothing more.
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
      await this.#options.source.drop(resource);
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join(", "));
  }

  /** Starts the monitors that do not run yet; they end when `signal` aborts. */
  start(signal: AbortSignal): void {
    this.#options.source.start(signal);
  }

  /** Resolves to `true` once every present monitor has delivered its initial list, to `false` once `signal` aborts. */
  whenSynced(signal: AbortSignal): Promise<boolean> {
    return waitForCacheSync(signal, ...[...this.#monitors.values()].map(({ registration }) => registration));
  }

  #monitor(resource: Resource): Monitor<I> {
    const { source, handlerOf, handlerOptions } = this.#options;
    const informer = source.informer(resource);
    return { resource, informer, registration: informer.addEventHandler(handlerOf(resource), handlerOptions) };
  }
}
