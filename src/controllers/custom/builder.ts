import { controllerOf, joinKey, type KubeObject, type Resource } from "../../api/mod.ts";
import { type ControllerDescriptor, defineController } from "../running/mod.ts";
import { buildCustomController, type CustomControllerOptions } from "./controller.ts";
import type { Reconcile } from "./reconcile_context.ts";

/** The options that the steps set. */
type BuilderOptions = Pick<CustomControllerOptions<KubeObject>, "name" | "watched" | "workers">;

/**
 * A controller for one kind, built step by step and handed to a manager.
 *
 * Contract:
 * 1. Every change of an object of the kind, of an owned child, or of a watched object leads to a reconcile after it.
 * 2. Reconciles of one object never overlap; several changes while one waits lead to one.
 * 3. A reconcile that throws is tried again, later each time.
 * 4. An object that is gone is not reconciled.
 * 5. Nothing is reconciled before the caches of all that is read have synced.
 *
 * Upstream: `sigs.k8s.io/controller-runtime/pkg/builder`.
 *
 * @example
 * ```ts no-eval
 * import { controllerFor, defineResource } from "kubeloop";
 * import { CONFIGMAPS, type KubeObject } from "kubeloop/api";
 *
 * interface Site extends KubeObject {
 *   spec: { title: string };
 * }
 * const SITES = defineResource<Site>({ group: "example.com", version: "v1", kind: "Site" });
 *
 * const sites = controllerFor(SITES).owns(CONFIGMAPS).reconcile(async (site, context) => {
 *   await context.apply(CONFIGMAPS, { metadata: { name: site.metadata!.name }, data: { title: site.spec.title } });
 * });
 * ```
 */
export class ControllerBuilder<T extends KubeObject> {
  readonly #resource: Resource<T>;
  readonly #options: BuilderOptions;

  constructor(resource: Resource<T>, options: Partial<BuilderOptions> = {}) {
    this.#resource = resource;
    this.#options = { name: `${resource.kind.toLowerCase()}-controller`, watched: [], workers: 1, ...options };
  }

  /**
   * Sets the controller's name, which its queue, log, events, User-Agent and field manager use. Default:
   * `<kind>-controller`; a second controller of the same kind needs another name.
   */
  named(name: string): ControllerBuilder<T> {
    return new ControllerBuilder(this.#resource, { ...this.#options, name });
  }

  /** Reconciles the owner when an object that it controls changes. */
  owns<C extends KubeObject>(resource: Resource<C>): ControllerBuilder<T> {
    const { group, kind, namespaced } = this.#resource;
    return this.watches(resource, (child) => {
      const owner = controllerOf(child);
      if (owner?.kind !== kind || groupOf(owner.apiVersion) !== group) return [];
      return [joinKey(namespaced ? child.metadata?.namespace : undefined, owner.name)];
    });
  }

  /**
   * When an object of `resource` changes, reconciles the objects whose keys (`namespace/name`, or the name of a
   * cluster-scoped one) `keysOf` returns for it before and after the change. If `keysOf` throws, that is logged and the
   * change is lost.
   */
  watches<C extends KubeObject>(
    resource: Resource<C>,
    keysOf: (object: Readonly<C>) => readonly string[],
  ): ControllerBuilder<T> {
    const watched = { resource, keysOf: (object: Readonly<KubeObject>) => keysOf(object as C) };
    return new ControllerBuilder(this.#resource, { ...this.#options, watched: [...this.#options.watched, watched] });
  }

  /** How many objects are reconciled at once; default 1. */
  workers(count: number): ControllerBuilder<T> {
    return new ControllerBuilder(this.#resource, { ...this.#options, workers: count });
  }

  /** Completes the controller with its reconcile function. */
  reconcile(reconcile: Reconcile<T>): ControllerDescriptor {
    const options = { ...this.#options, resource: this.#resource, reconcile };
    return defineController({ name: options.name, build: (context) => buildCustomController(context, options) });
  }
}

/** The group in a reference's apiVersion. Never throws: a handler could not report a broken reference. */
function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
}

/** Starts a {@link ControllerBuilder}. */
export function controllerFor<T extends KubeObject>(resource: Resource<T>): ControllerBuilder<T> {
  return new ControllerBuilder(resource);
}
