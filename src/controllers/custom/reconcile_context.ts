import type { Clock, Logger } from "../../base/mod.ts";
import { isControlledBy, type KubeObject, newControllerRef, objectKey, type Resource } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { Causes } from "../../workqueue/mod.ts";
import { mergePatchBetween } from "./status.ts";

/** What a reconcile may request when it ends. */
export interface ReconcileResult {
  /** Reconcile again after this long even if nothing changes. */
  readonly requeueAfterMs?: number;
}

/**
 * Brings the cluster closer to what `object` asks for. It is called repeatedly, so it should only state the desired
 * result.
 */
export type Reconcile<T extends KubeObject> = (
  object: Readonly<T>,
  context: ReconcileContext<T>,
) => Promise<ReconcileResult | void> | ReconcileResult | void;

/** Options of {@link ReconcileContext}. */
export interface ReconcileContextOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  readonly client: Client;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly causes: Causes;
  readonly name: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  lister<C extends KubeObject>(resource: Resource<C>): Lister<C>;
}

/** What one reconcile works with. */
export class ReconcileContext<T extends KubeObject> {
  readonly #options: ReconcileContextOptions<T>;
  /** For the controller's own requests. Once the lease is lost, it sends no more writes. */
  readonly client: Client;
  /** The process's log, with the controller's name. */
  readonly log: Logger;
  /** Tells the time and sets timers. In a test, it is the test's clock. */
  readonly clock: Clock;
  /** Aborts when the controller is to stop; pass it to anything that takes long. */
  readonly signal: AbortSignal;
  /** The controller's name, also used as the field manager. */
  readonly name: string;

  constructor(options: ReconcileContextOptions<T>) {
    this.#options = options;
    this.client = options.client;
    this.log = options.log;
    this.clock = options.clock;
    this.signal = options.signal;
    this.name = options.name;
  }

  /** Why this reconcile runs: the events and timers that triggered it. */
  get causes(): readonly string[] {
    return this.#options.causes.texts;
  }

  /**
   * The cache of the controller's own resource, or of one that it owns or watches. Objects are shared: copy them before
   * changing them.
   *
   * @throws {TypeError} If the controller does not read the resource: its cache would be empty.
   */
  lister<C extends KubeObject>(resource: Resource<C>): Lister<C> {
    return this.#options.lister(resource);
  }

  /** The objects of an owned resource whose controller is this object, from the cache. */
  children<C extends KubeObject>(resource: Resource<C>): C[] {
    const { object } = this.#options;
    const { namespace } = object.metadata ?? {};
    return this.lister(resource).list({ namespace }).filter((child) => isControlledBy(child, object));
  }

  /**
   * Creates or changes a child by server-side apply. This object becomes its owner; its namespace is this object's
   * unless `child` names another. Fields that are not in `child` are left to others.
   *
   * @returns The child as the server stored it.
   * @throws {TypeError} If this object cannot own the child: an owner must be in the child's namespace, or
   * cluster-scoped. The garbage collector would treat the child as an orphan and delete it.
   * @throws {StatusError} The server's answer.
   */
  async apply<C extends KubeObject>(resource: Resource<C>, child: C): Promise<C> {
    const { resource: parentResource, object } = this.#options;
    const namespace = this.#namespaceFor(resource, child);
    const ownerReferences = [...child.metadata?.ownerReferences ?? [], newControllerRef(object, parentResource)];
    const owned = { ...child, metadata: { ...child.metadata, namespace, ownerReferences } };
    return await this.client.apply(resource, owned, { fieldManager: this.name, force: true });
  }

  /**
   * Replaces the object's whole status, unless the cached one is equal.
   *
   * @throws {StatusError} The server's answer.
   */
  async setStatus(status: T extends { status?: infer S } ? S : never): Promise<void> {
    const { resource, object } = this.#options;
    const patch = mergePatchBetween((object as { status?: unknown }).status, status);
    if (patch === undefined) return;
    const { namespace, name = "" } = object.metadata ?? {};
    const body = { status: patch };
    await this.client.patch(resource, { namespace, name }, {
      type: "merge",
      subresource: "status",
      body,
      fieldManager: this.name,
    });
  }

  /** Records an event about the object. */
  event(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#options.recorder.event(this.#options.object, type, reason, message);
  }

  #namespaceFor(resource: Resource, child: KubeObject): string | undefined {
    const { resource: parentResource, object } = this.#options;
    const own = object.metadata?.namespace;
    const what = `Cannot apply ${resource.kind} "${child.metadata?.name}" as a child of ${parentResource.kind} ` +
      `"${objectKey(object)}"`;
    if (!resource.namespaced) {
      if (!parentResource.namespaced) return undefined;
      throw new TypeError(`${what}: an object in a namespace cannot own a cluster-scoped one; use context.client`);
    }
    const namespace = child.metadata?.namespace ?? own;
    if (!namespace) throw new TypeError(`${what}: it needs a metadata.namespace, which its owner has not`);
    if (parentResource.namespaced && namespace !== own) {
      throw new TypeError(`${what}: its namespace "${namespace}" is not that of its owner; use context.client`);
    }
    return namespace;
  }
}
