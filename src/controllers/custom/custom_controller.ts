import { controllerOf, joinKey, type KubeObject, objectKey, type Resource, splitKey } from "../../api/mod.ts";
import { type DeletedFinalStateUnknown, finalStateOf, waitForCacheSync } from "../../cache/mod.ts";
import { runWorkers, WorkQueue } from "../../workqueue/mod.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "../common/mod.ts";
import { type Reconcile, ReconcileContext } from "./reconciler.ts";

type MapToKeys<C> = (object: Readonly<C>) => readonly string[];

/** A resource besides the controller's own, and which objects a change of it concerns. */
interface Watched {
  readonly resource: Resource;
  readonly keysOf: MapToKeys<KubeObject>;
}

/** A resource for {@link defineResource}. */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  /** Default: `true`. */
  readonly namespaced?: boolean;
}

/**
 * A resource of your own, as its CustomResourceDefinition names it.
 *
 * @example
 * ```ts
 * import { defineResource } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(defineResource({ group: "example.com", version: "v1", kind: "Site" }).plural, "sites");
 * ```
 */
export function defineResource<T extends KubeObject>(
  { plural, namespaced = true, ...definition }: ResourceDefinition,
): Resource<T> {
  return { ...definition, namespaced, plural: plural ?? `${definition.kind.toLowerCase()}s` };
}

/**
 * A controller for one kind, put together step by step and handed to a manager.
 *
 * Contract:
 * 1. Every change of an object of the kind, of an owned child, or of a watched object leads to a reconcile after it.
 * 2. Reconciles of one object never overlap; several changes while one waits lead to one.
 * 3. A reconcile that throws is tried again, later each time.
 * 4. An object that is gone is not reconciled.
 *
 * Upstream: `sigs.k8s.io/controller-runtime/pkg/builder`.
 *
 * @example
 * ```ts no-eval
 * import { controllerFor, defineResource } from "kubeloop";
 * import { CONFIGMAPS, type KubeObject } from "kubeloop";
 *
 * interface Site extends KubeObject {
 *   spec: { title: string };
 * }
 * const SITES = defineResource<Site>({ group: "example.com", version: "v1", kind: "Site" });
 *
 * export const sites = controllerFor(SITES).owns(CONFIGMAPS).reconcile(async (site, context) => {
 *   await context.apply(CONFIGMAPS, { metadata: { name: site.metadata!.name }, data: { title: site.spec.title } });
 * });
 * ```
 */
export class ControllerBuilder<T extends KubeObject> {
  readonly #resource: Resource<T>;
  readonly #watched: readonly Watched[];
  readonly #workers: number;

  constructor(resource: Resource<T>, watched: readonly Watched[] = [], workers = 1) {
    this.#resource = resource;
    this.#watched = watched;
    this.#workers = workers;
  }

  /** Changes of objects whose controller is an object of the kind lead to a reconcile of that one. */
  owns<C extends KubeObject>(resource: Resource<C>): ControllerBuilder<T> {
    const { kind } = this.#resource;
    return this.watches(resource, (child) => {
      const owner = controllerOf(child);
      const namespace = this.#resource.namespaced ? child.metadata?.namespace : undefined;
      return owner?.kind === kind ? [joinKey(namespace, owner.name)] : [];
    });
  }

  /** Changes of `resource` lead to reconciles of the objects whose keys (`namespace/name`) `keysOf` gives. */
  watches<C extends KubeObject>(resource: Resource<C>, keysOf: MapToKeys<C>): ControllerBuilder<T> {
    const watched = { resource, keysOf: (object: Readonly<KubeObject>) => keysOf(object as C) };
    return new ControllerBuilder(this.#resource, [...this.#watched, watched], this.#workers);
  }

  /** How many objects are reconciled at once; default 1. */
  workers(count: number): ControllerBuilder<T> {
    return new ControllerBuilder(this.#resource, this.#watched, count);
  }

  /** Completes the controller with its reconcile function. */
  reconcile(reconcile: Reconcile<T>): ControllerDescriptor {
    const name = `${this.#resource.kind.toLowerCase()}-controller`;
    return {
      name,
      build: (context) =>
        new CustomController(context, {
          name,
          resource: this.#resource,
          watched: this.#watched,
          workers: this.#workers,
          reconcile,
        }),
    };
  }
}

/** Starts a {@link ControllerBuilder}. */
export function controllerFor<T extends KubeObject>(resource: Resource<T>): ControllerBuilder<T> {
  return new ControllerBuilder(resource);
}

interface CustomControllerOptions<T extends KubeObject> {
  readonly name: string;
  readonly resource: Resource<T>;
  readonly watched: readonly Watched[];
  readonly workers: number;
  readonly reconcile: Reconcile<T>;
}

class CustomController<T extends KubeObject> implements Controller {
  readonly #context: ControllerContext;
  readonly #options: CustomControllerOptions<T>;
  readonly #queue: WorkQueue;
  readonly #synced: Parameters<typeof waitForCacheSync>[1][];

  constructor(context: ControllerContext, options: CustomControllerOptions<T>) {
    this.#context = context;
    this.#options = options;
    this.#queue = new WorkQueue({ world: context.world, name: options.name, metrics: context.metrics });
    this.#synced = [
      this.#watch(options.resource, (object) => [objectKey(object)]),
      ...options.watched.map(({ resource, keysOf }) => this.#watch(resource, keysOf)),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world, clients } = this.#context;
    const { name, resource, workers, reconcile } = this.#options;
    if (!await waitForCacheSync(signal, ...this.#synced)) return;
    const client = clients.client(name);
    const recorder = this.#context.recorder(name);
    const { lister } = this.#context.informers.informer(resource);
    await runWorkers(this.#queue, {
      workers,
      world,
      signal,
      sync: async (key, causes) => {
        const { namespace, name: objectName } = splitKey(key);
        const object = lister.get(namespace, objectName);
        if (!object) return;
        const result = await reconcile(
          object,
          new ReconcileContext({
            resource,
            object,
            client,
            recorder,
            causes,
            fieldManager: name,
            log: world.log.named(name),
            lister: (other) => this.#context.informers.informer(other).lister,
          }),
        );
        if (result?.requeueAfterMs !== undefined) this.#queue.addAfter(key, result.requeueAfterMs, "requeued");
      },
    });
  }

  #watch<C extends KubeObject>(resource: Resource<C>, keysOf: MapToKeys<C>) {
    const enqueue = (what: string, object: C | undefined) => {
      if (!object) return;
      for (const key of keysOf(object)) this.#queue.add(key, `${resource.kind} ${objectKey(object)} ${what}`);
    };
    return this.#context.informers.informer(resource).addEventHandler({
      onAdd: (object) => enqueue("added", object),
      onUpdate: (old, object) => {
        enqueue("changed", object);
        // A child that changed hands concerns the one it left too.
        const left = keysOf(old).filter((key) => !keysOf(object).includes(key));
        for (const key of left) this.#queue.add(key, `${resource.kind} ${objectKey(object)} left`);
      },
      onDelete: (gone: C | DeletedFinalStateUnknown<C>) => enqueue("deleted", finalStateOf(gone)),
    });
  }
}
