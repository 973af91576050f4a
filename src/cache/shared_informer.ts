import { groupResource, type KubeObject, type Resource } from "../api/mod.ts";
import { type Logger, MetricsRegistry, sleep, TurnBudget } from "../base/mod.ts";
import { DeltaFifo } from "./delta_fifo.ts";
import { DeltaProcessor } from "./delta_processor.ts";
import type { EventHandler } from "./event_handler.ts";
import { type HandlerOptions, type HandlerRegistration, ListenerRegistration } from "./handler_registration.ts";
import type { Indexers } from "./index_table.ts";
import { Indexer } from "./indexer.ts";
import { InformerMetrics } from "./informer_metrics.ts";
import { Lister } from "./lister.ts";
import { ObjectSink } from "./object_sink.ts";
import { Processor } from "./processor.ts";
import { ProcessorListener } from "./processor_listener.ts";
import type { Transform } from "./projection.ts";
import { MIN_RESYNC_PERIOD_MS, ResyncSchedule } from "./resync_schedule.ts";
import { NAMESPACE_INDEX, namespaceOf } from "./shared_indexes.ts";
import { SetAside } from "./set_aside.ts";
import type { SharedInformerOptions } from "./shared_informer_options.ts";
import { settledBeforeAbort } from "./wait_for_cache_sync.ts";

/** How long to wait before a source that ended by itself is run again, in milliseconds. */
const RESTART_DELAY_MS = 1000;

/**
 * One cache of one resource, shared by all its readers: frames from a source go through a FIFO into an indexer, and
 * every handler is told from its own buffer.
 *
 * Contract:
 * 1. The store is changed first, then handlers are notified in delta order; in a batch all store changes come first.
 * 2. A handler sees, for each object, one add, then updates, then at most one delete before another add; what it was
 *    told, replayed, is the store.
 * 3. A handler added late is told of every object in the store, once, as an add of the initial list, and of every
 *    change after that.
 * 4. The informer has synced when its first list was processed; a registration, when its handler was told all of it.
 *    Both stay so.
 * 5. A slow or failing handler delays neither the store nor other handlers.
 * 6. A re-list is visible to all readers at once, and objects that vanished meanwhile are reported as tombstones first.
 * 7. Replays go only to handlers whose period has passed, and never ask the API server.
 * 8. An object that cannot be read is set aside alone: its previous version stays, all others go on, and nothing is
 *    listed again.
 * 9. It runs once. When it ends, pending notifications are dropped, and handlers and indexers are refused from then on.
 *
 * Objects are shared by all: copy before changing.
 * Upstream: `k8s.io/client-go/tools/cache/shared_informer.go` (SharedIndexInformer).
 *
 * @example Most informers come from an {@link InformerFactory}; this one has a source of its own
 * ```ts
 * import { PODS } from "kubeloop/api";
 * import { type FrameSource, SharedInformer } from "kubeloop/cache";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const source: FrameSource = {
 *   async run(sink, signal) {
 *     await sink.beginReplace().commit("7");
 *     await new Promise((resolve) => signal.addEventListener("abort", resolve));
 *   },
 * };
 * const pods = new SharedInformer({ world: new FakeWorld(), resource: PODS, source });
 * const stop = new AbortController();
 * const running = pods.run(stop.signal);
 * assertEquals(await pods.whenSynced(stop.signal), true);
 * assertEquals(pods.resourceVersion, "7");
 * stop.abort();
 * await running;
 * ```
 */
export class SharedInformer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly indexer: Indexer<T>;
  readonly lister: Lister<T>;
  readonly #options: SharedInformerOptions<T>;
  readonly #log: Logger;
  readonly #metrics: InformerMetrics;
  readonly #fifo = new DeltaFifo<T>();
  readonly #setAside: SetAside;
  readonly #processor: Processor<T>;
  readonly #deltas: DeltaProcessor<T>;
  readonly #budget: TurnBudget;
  #transform: Transform<T> | undefined;
  #state: "created" | "running" | "stopped" = "created";
  /** How often to check whether a replay is due. */
  #resyncCheckMs: number;
  #handlerCount = 0;

  constructor(options: SharedInformerOptions<T>) {
    const { world, resource, indexers, metrics: registry = new MetricsRegistry(), metadataOnly = false } = options;
    this.#options = options;
    this.#log = world.log;
    this.#resyncCheckMs = options.resyncPeriodMs ?? 0;
    this.#metrics = new InformerMetrics({
      registry,
      resource,
      name: options.name ?? "kubeloop",
      measured: !metadataOnly,
    });
    this.#metrics.trackQueue(() => this.#fifo.length);
    this.#setAside = new SetAside(groupResource(resource));
    this.#metrics.trackSetAside(() => this.#setAside.size);
    this.#processor = new Processor(world.clock);
    this.#budget = new TurnBudget(world.clock);
    this.resource = resource;
    this.indexer = new Indexer<T>({
      resource: groupResource(resource),
      indexers: { [NAMESPACE_INDEX]: namespaceOf, ...indexers },
      onIndexError: (err) => this.#failed("Index function failed; the object is not in that index", err),
    });
    this.lister = new Lister(this.indexer);
    this.#deltas = new DeltaProcessor({
      world,
      resource: resource.plural,
      fifo: this.#fifo,
      indexer: this.indexer,
      processor: this.#processor,
      metrics: this.#metrics,
      onError: (what, err) => this.#failed(what, err),
    });
  }

  /** Whether the first list was processed: the store is filled, and the handlers' buffers have its notifications. */
  get hasSynced(): boolean {
    return this.#fifo.hasSynced;
  }

  /** Waits for {@link SharedInformer.hasSynced}; `false` if `signal` aborts first. */
  whenSynced(signal: AbortSignal): Promise<boolean> {
    return this.hasSynced ? Promise.resolve(true) : settledBeforeAbort(this.#fifo.whenSynced, signal);
  }

  /** The newest resource version processed, of a list, an event or a bookmark; empty before the first list. */
  get resourceVersion(): string {
    return this.indexer.resourceVersion;
  }

  /** How long the API server has been silent about this resource, in milliseconds; unknown before the start. */
  get stalenessMs(): number | undefined {
    return this.#options.source.stalenessMs;
  }

  /**
   * Adds a handler, before or while the informer runs.
   *
   * @throws {Error} If the informer has stopped.
   */
  addEventHandler(handler: EventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    const name = options.name ?? `handler-${++this.#handlerCount}`;
    if (this.#state === "stopped") {
      throw new Error(`handler ${name} was not added to shared informer because it has stopped already`);
    }
    const { world } = this.#options;
    const listener = new ProcessorListener({
      world,
      handler,
      name: `${this.resource.plural}/${name}`,
      resync: new ResyncSchedule({
        wantedMs: this.#wantedPeriod(options.resyncPeriodMs ?? this.#options.resyncPeriodMs ?? 0),
        checkMs: this.#resyncCheckMs,
        nowMs: world.clock.monotonicMs(),
      }),
      metrics: this.#metrics.listener(name),
      budget: this.#budget,
    });
    this.#processor.add(listener);
    for (const object of this.indexer.list()) listener.push({ kind: "add", object, isInInitialList: true });
    return new ListenerRegistration(listener, this.#fifo);
  }

  /**
   * Removes a handler: what was not delivered to it is dropped. Removing it again does nothing. Resolves when the
   * handler's current call, if any, has ended.
   *
   * @throws {TypeError} If an informer did not give this registration.
   */
  removeEventHandler(registration: HandlerRegistration): Promise<void> {
    if (!(registration instanceof ListenerRegistration)) {
      throw new TypeError(`Cannot remove a handler of ${this.resource.plural}: not a registration of an informer`);
    }
    return this.#processor.remove(registration.listener);
  }

  /** Whether it has handlers. */
  get hasHandlers(): boolean {
    return this.#processor.hasListeners;
  }

  hasIndexer(name: string): boolean {
    return this.indexer.hasIndexer(name);
  }

  /**
   * Adds indexes, before or while the informer runs.
   *
   * @throws {Error} If a name is taken (ask {@link SharedInformer.hasIndexer} first), or the informer has stopped.
   */
  addIndexers(indexers: Indexers<T>): void {
    if (this.#state === "stopped") {
      throw new Error("indexer was not added because it has stopped already");
    }
    this.indexer.addIndexers(indexers);
  }

  /**
   * Sets a transformation of each object before it is stored, after the projection.
   *
   * @throws {Error} If the informer has started.
   */
  setTransform(transform: Transform<T>): void {
    if (this.#state !== "created") throw new Error("informer has already started");
    this.#transform = transform;
  }

  /**
   * Keeps the cache up to date until `signal` aborts; resolves when everything has ended. A second call returns at
   * once.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "created") {
      this.#log.warn("The sharedIndexInformer has started, run more than once is not allowed", {
        resource: this.resource.plural,
      });
      return;
    }
    this.#state = "running";
    this.#options.setAside?.add(this.#setAside);
    const processing = this.#deltas.run();
    const replaying = this.#replay(signal);
    await this.#feed(signal);
    this.#fifo.close();
    await Promise.all([processing, replaying]);
    this.#state = "stopped";
    this.#options.setAside?.delete(this.#setAside);
    this.#metrics.stopped();
    await this.#processor.stop();
  }

  /** The period that a handler may have; before the start, the informer adapts to it. */
  #wantedPeriod(periodMs: number): number {
    if (periodMs <= 0) return 0;
    const wantedMs = Math.max(periodMs, MIN_RESYNC_PERIOD_MS);
    if (this.#state === "created" && wantedMs < this.#resyncCheckMs) {
      this.#resyncCheckMs = wantedMs;
      this.#processor.resyncCheckedEvery(wantedMs);
    }
    return wantedMs;
  }

  async #feed(signal: AbortSignal): Promise<void> {
    const { world, source, resource, projection, metadataOnly = false } = this.#options;
    const transforms = [projection, this.#transform].filter((transform) => transform !== undefined);
    const sink = new ObjectSink({
      world,
      resource,
      fifo: this.#fifo,
      indexer: this.indexer,
      metrics: this.#metrics,
      setAside: this.#setAside,
      transforms,
      metadataOnly,
    });
    while (!signal.aborted) {
      try {
        await source.run(sink, signal);
        if (!signal.aborted) this.#log.warn("Frame source ended; restarting", { resource: resource.plural });
      } catch (err) {
        if (!signal.aborted) this.#log.error("Frame source failed; restarting", { resource: resource.plural, err });
      }
      await sleep(world.clock, RESTART_DELAY_MS, signal);
    }
  }

  /** Replays the store to the handlers, each in its period, once the store is first filled. */
  async #replay(signal: AbortSignal): Promise<void> {
    if (this.#resyncCheckMs === 0 || !await this.whenSynced(signal)) return;
    const { clock } = this.#options.world;
    while (await sleep(clock, this.#resyncCheckMs, signal)) {
      if (this.#processor.checkResync(clock.monotonicMs())) await this.#fifo.resync();
    }
  }

  #failed(what: string, err: unknown): void {
    this.#metrics.processFailed();
    this.#log.error(what, { resource: this.resource.plural, err });
  }
}
