import type { KubeObject, Resource } from "../api/mod.ts";
import { type FrameSource, ReflectorSource, type ReflectorSourceOptions } from "./frame_source.ts";
import { projection, type Transform } from "./projection.ts";
import type { ListWatchOptions } from "../watch/mod.ts";
import type { SetAsideBoard } from "./set_aside.ts";
import { SharedInformer } from "./shared_informer.ts";
import { waitForCacheSync } from "./wait_for_cache_sync.ts";

/** Limits an informer to a namespace and to selected objects. */
export type InformerScope = Omit<ListWatchOptions, "metadataOnly">;

/** Options of {@link InformerFactory}, which apply to all of its informers. */
export interface InformerFactoryOptions extends Omit<ReflectorSourceOptions, "resource"> {
  /** How often the whole cache is replayed to handlers, in milliseconds; 0 (the default) is never. */
  readonly resyncPeriodMs?: number;
  /** Collects the objects that cannot be read. */
  readonly setAside?: SetAsideBoard;
  /** Where the frames of an informer come from. Default: a {@link ReflectorSource} of `client`. */
  readonly source?: (resource: Resource, scope: InformerScope) => FrameSource;
}

/** An informer, and the fields that its users read. */
interface Shared {
  readonly informer: SharedInformer<KubeObject>;
  /** Fields besides apiVersion, kind and metadata. */
  readonly reads: Set<string>;
  readsAll: boolean;
  /** Reduces objects to the kept fields; set when the informer starts. */
  project?: Transform<KubeObject>;
}

/** An informer at work. */
interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Shares one informer per resource, so that each resource is listed and watched once.
 *
 * Contract:
 * 1. There is one informer a resource (group, version, plural) and scope, made when it is first asked for.
 * 2. Start runs the informers made so far that do not run yet; those asked for later run after another start.
 * 3. A dropped informer ends and is forgotten, unless it has handlers; later callers get a new one.
 * 4. Objects are kept with the fields that the callers of their informer declared; with all fields if one declared
 *    none.
 * 5. After shutdown nothing is started; it ends what runs and resolves when all has ended.
 *
 * Upstream: `k8s.io/client-go/informers/factory.go`.
 */
export class InformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, Shared>();
  readonly #running = new Map<SharedInformer<KubeObject>, Running>();
  /** The ends of informers that were dropped and have not ended yet. */
  readonly #endings = new Set<Promise<void>>();
  readonly #shutdown = new AbortController();

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  /**
   * The informer of `resource`, which is listed and watched from the next start on.
   *
   * @param reads The fields that will be read, as for {@link projection}; by default all.
   * @param scope By default the factory's, which is everything unless set.
   * @throws {Error} If the informer is running and does not keep these fields.
   */
  informer<T extends KubeObject>(
    resource: Resource<T>,
    reads?: readonly string[],
    scope: InformerScope = {},
  ): SharedInformer<T> {
    const key = informerKey(resource, scope);
    let shared = this.#informers.get(key);
    if (!shared) this.#informers.set(key, shared = this.#create(resource, scope));
    const unkept = reads?.filter((field) => !shared.reads.has(field)) ?? ["everything"];
    if (shared.project && !shared.readsAll && unkept.length > 0) {
      throw new Error(`The informer of ${resource.plural} runs already and does not keep ${unkept.join(", ")}`);
    }
    for (const field of reads ?? []) shared.reads.add(field);
    shared.readsAll ||= reads === undefined;
    return shared.informer as SharedInformer<T>; // the resource determines T
  }

  /** The informer of all of `resource`, if it exists. Callers of this method may only read metadata. */
  existing(resource: Resource): SharedInformer<KubeObject> | undefined {
    return this.#informers.get(informerKey(resource))?.informer;
  }

  /** The informers made so far. */
  get informers(): readonly SharedInformer<KubeObject>[] {
    return [...this.#informers.values()].map(({ informer }) => informer);
  }

  /** Starts all informers that do not run yet; they run until `signal` aborts. */
  start(signal: AbortSignal): void {
    if (this.#shutdown.signal.aborted) return;
    for (const shared of this.#informers.values()) {
      const { informer, reads, readsAll } = shared;
      if (this.#running.has(informer)) continue;
      shared.project = readsAll ? (object) => object : projection(reads);
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
   * Ends the informer of a resource that is no longer served, so that it does not retry for ever. Does nothing while it
   * has handlers.
   */
  async drop(resource: Resource): Promise<void> {
    const key = informerKey(resource);
    const informer = this.#informers.get(key)?.informer;
    if (!informer || informer.hasHandlers) return;
    this.#informers.delete(key);
    const running = this.#running.get(informer);
    if (!running) return;
    this.#running.delete(informer);
    this.#endings.add(running.ended);
    running.stop.abort();
    await running.ended;
    this.#endings.delete(running.ended);
  }

  /** Ends all informers; resolves when they have ended. */
  async shutdown(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all([...this.#endings, ...[...this.#running.values()].map(({ ended }) => ended)]);
  }

  #create(resource: Resource, scope: InformerScope): Shared {
    const { source, ...options } = this.#options;
    const shared: Shared = {
      informer: new SharedInformer({
        ...options,
        resource,
        source: source?.(resource, scope) ?? new ReflectorSource({ ...options, ...scope, resource }),
        projection: (object) => shared.project?.(object) ?? object,
      }),
      reads: new Set(),
      readsAll: false,
    };
    return shared;
  }
}

/** A unique key for what an informer watches, whatever characters the scope contains. */
export function informerKey(
  { group, version, plural }: Resource,
  { namespace = "", labelSelector = "", fieldSelector = "" }: InformerScope = {},
): string {
  return JSON.stringify([group, version, plural, namespace, labelSelector, fieldSelector]);
}
