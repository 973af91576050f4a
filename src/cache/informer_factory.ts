import type { KubeObject, Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { Client } from "../client/mod.ts";
import type { FrameSource } from "./frame_source.ts";
import type { Projection } from "./projection.ts";
import { ReflectorSource } from "./reflector_source.ts";
import { SharedInformer } from "./shared_informer.ts";
import { waitForCacheSync } from "./wait_for_cache_sync.ts";

/** What the informers of an {@link InformerFactory} have in common. */
export interface InformerFactoryOptions {
  readonly world: World;
  readonly client: Client;
  /** How often handlers see the whole cache again, in milliseconds; 0 (the default) is never. */
  readonly resyncPeriodMs?: number;
  /** Watches only this namespace. */
  readonly namespace?: string;
  /** Goes with every list and watch. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Lists and watches metadata only: the objects are PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  readonly metrics?: MetricsRegistry;
  /** The label `name` of the metrics. */
  readonly name?: string;
  /** What is kept of the objects of some resources; see {@link project}. */
  readonly projections?: readonly Projection[];
  /** A stream that brings no byte for this long is cut and resumed. Default: the Reflector's. */
  readonly progressDeadlineMs?: number;
  /** Where the frames of a resource come from. Default: a {@link ReflectorSource} of `client`. */
  readonly source?: (resource: Resource) => FrameSource;
}

/** An informer at work. */
interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Gives everybody the same informer of a resource, so that each resource is listed and watched once.
 *
 * Contract:
 * 1. There is one informer a resource (group, version, plural), made when it is first asked for.
 * 2. Start runs the informers made so far that do not run yet; those asked for later run after another start.
 * 3. A dropped informer ends and is forgotten, unless it has handlers; who asks later gets a new one.
 * 4. After shutdown nothing is started; it ends what runs and resolves when all has ended.
 *
 * Upstream: `k8s.io/client-go/informers/factory.go`.
 */
export class InformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, SharedInformer<KubeObject>>();
  readonly #running = new Map<SharedInformer<KubeObject>, Running>();
  readonly #shutdown = new AbortController();

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  /** The informer of `resource`; asking for it has it listed and watched from the next start on. */
  informer<T extends KubeObject>(resource: Resource<T>): SharedInformer<T> {
    const key = resourceKey(resource);
    let informer = this.#informers.get(key);
    if (!informer) this.#informers.set(key, informer = this.#create(resource));
    return informer as SharedInformer<T>; // the resource, by which it was made, says what T is
  }

  has(resource: Resource): boolean {
    return this.#informers.has(resourceKey(resource));
  }

  /** The informers made so far. */
  get informers(): readonly SharedInformer<KubeObject>[] {
    return [...this.#informers.values()];
  }

  /** Runs what does not run yet until `signal` aborts. */
  start(signal: AbortSignal): void {
    if (this.#shutdown.signal.aborted) return;
    for (const informer of this.#informers.values()) {
      if (this.#running.has(informer)) continue;
      const stop = new AbortController();
      const ended = informer.run(AbortSignal.any([signal, this.#shutdown.signal, stop.signal]));
      this.#running.set(informer, { stop, ended });
    }
  }

  /** Waits until every informer that was started has synced; `false` if `signal` aborts first. */
  whenSynced(signal: AbortSignal): Promise<boolean> {
    return waitForCacheSync(signal, ...this.#running.keys());
  }

  /**
   * Ends the informer of a resource that is served no more, so that it does not ask for it for ever. Does nothing while
   * somebody has a handler on it.
   */
  async drop(resource: Resource): Promise<void> {
    const key = resourceKey(resource);
    const informer = this.#informers.get(key);
    if (!informer || informer.hasHandlers) return;
    this.#informers.delete(key);
    const running = this.#running.get(informer);
    this.#running.delete(informer);
    running?.stop.abort();
    await running?.ended;
  }

  /** Ends all informers; resolves when they have ended. */
  async shutdown(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #create(resource: Resource): SharedInformer<KubeObject> {
    const { projections = [], source, ...options } = this.#options;
    const key = resourceKey(resource);
    return new SharedInformer({
      ...options,
      resource,
      source: source?.(resource) ?? new ReflectorSource({ ...options, resource }),
      projection: projections.find((projection) => resourceKey(projection.resource) === key)?.apply,
    });
  }
}

function resourceKey({ group, version, plural }: Resource): string {
  return `${group}/${version}/${plural}`;
}
