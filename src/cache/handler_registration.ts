import type { KubeObject } from "../api/mod.ts";
import type { ProcessorListener } from "./processor_listener.ts";

/** How a handler is added to an informer. */
export interface HandlerOptions {
  /**
   * How often the whole cache is replayed to the handler, in milliseconds; 0 is never, less than a second is a second.
   * Default: the informer's own period.
   */
  readonly resyncPeriodMs?: number;
  /** For the log and the metrics. Default: its number. */
  readonly name?: string;
}

/** A handler's place in an informer. */
export interface HandlerRegistration {
  /** Whether the informer has synced and this handler was told of every object of the initial list. Never reverts. */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` becomes true; never rejects, and never resolves if that does not happen. */
  readonly whenSynced: Promise<void>;
}

/** Whether an informer's first list was processed: its store is filled and its listeners have their notifications. */
export interface InitialPopulation {
  readonly hasSynced: boolean;
  readonly whenSynced: Promise<void>;
}

/** A registration, as its informer uses it. */
export class ListenerRegistration<T extends KubeObject> implements HandlerRegistration {
  readonly listener: ProcessorListener<T>;
  readonly #population: InitialPopulation;

  constructor(listener: ProcessorListener<T>, population: InitialPopulation) {
    this.listener = listener;
    this.#population = population;
  }

  get hasSynced(): boolean {
    return this.#population.hasSynced && this.listener.hasDeliveredInitialList;
  }

  get whenSynced(): Promise<void> {
    return this.#population.whenSynced.then(() => this.listener.whenInitialListDelivered());
  }
}
