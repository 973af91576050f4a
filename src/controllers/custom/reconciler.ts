import { type KubeObject, newControllerRef, type Resource } from "../../api/mod.ts";
import { deepEqual, type Logger } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";

/** What a reconcile may ask for besides ending. */
export interface ReconcileResult {
  /** Reconcile again after this long even if nothing changes. */
  readonly requeueAfterMs?: number;
}

/** Brings the cluster closer to what `object` asks for; called again and again, so it only states what should be. */
export type Reconcile<T extends KubeObject> = (
  object: Readonly<T>,
  context: ReconcileContext<T>,
) => Promise<ReconcileResult | void> | ReconcileResult | void;

/** What a {@link ReconcileContext} is made from. */
export interface ReconcileContextOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  readonly client: Client;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly causes: readonly string[];
  readonly fieldManager: string;
  lister<C extends KubeObject>(resource: Resource<C>): Lister<C>;
}

/** What one reconcile works with. */
export class ReconcileContext<T extends KubeObject> {
  readonly #options: ReconcileContextOptions<T>;
  readonly client: Client;
  readonly log: Logger;
  /** Why this reconcile runs: the events and timers that asked for it. */
  readonly causes: readonly string[];

  constructor(options: ReconcileContextOptions<T>) {
    this.#options = options;
    this.client = options.client;
    this.log = options.log;
    this.causes = options.causes;
  }

  /** The cache of a resource that the controller owns or watches. */
  lister<C extends KubeObject>(resource: Resource<C>): Lister<C> {
    return this.#options.lister(resource);
  }

  /** The objects of an owned resource whose controller is this object, from the cache. */
  children<C extends KubeObject>(resource: Resource<C>): C[] {
    const { uid, namespace } = this.#options.object.metadata!;
    return this.lister(resource).list({ namespace }).filter((child) =>
      child.metadata?.ownerReferences?.some((reference) => reference.controller && reference.uid === uid)
    );
  }

  /**
   * Makes or changes a child by server-side apply, owned by this object and in its namespace unless it names another.
   * Fields that are not in `child` are left to others.
   *
   * @returns The child as the server has it now.
   * @throws {StatusError} As the server answers.
   */
  apply<C extends KubeObject>(resource: Resource<C>, child: C): Promise<C> {
    const { resource: parentResource, object, fieldManager } = this.#options;
    const owned = {
      apiVersion: resource.group === "" ? resource.version : `${resource.group}/${resource.version}`,
      kind: resource.kind,
      ...child,
      metadata: {
        ...(resource.namespaced ? { namespace: object.metadata?.namespace } : {}),
        ...child.metadata,
        ownerReferences: [newControllerRef(object, parentResource)],
      },
    };
    return this.client.apply(resource, owned, { fieldManager, force: true });
  }

  /** Writes the object's status unless it is what the cache has already. */
  async setStatus(status: T extends { status?: infer S } ? S : never): Promise<void> {
    const { resource, object } = this.#options;
    if (deepEqual((object as { status?: unknown }).status, status)) return;
    const { namespace, name } = object.metadata!;
    await this.client.patch(resource, { namespace, name: name! }, {
      type: "merge",
      subresource: "status",
      body: { status },
    });
  }

  /** Records an event about the object. */
  event(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#options.recorder.event(this.#options.object, type, reason, message);
  }
}
