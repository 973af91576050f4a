import { joinKey, type KubeObject, objectKey } from "../../../../src/api/mod.ts";
import {
  type DeletedFinalStateUnknown,
  deletedKey,
  type EventHandler,
  type HandlerOptions,
  type HandlerRegistration,
} from "../../../../src/cache/mod.ts";
import { Deferred } from "../../../../src/base/mod.ts";

/** An informer that a test feeds: cache first, then handlers, at once. */
export class FakeInformer<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #handlers = new Map<HandlerRegistration, EventHandler<T>>();
  readonly #synced = new Deferred();
  /** How each handler was added. */
  readonly handlerOptions: (HandlerOptions | undefined)[] = [];

  readonly indexer = { get: (key: string): T | undefined => this.#objects.get(key) };
  readonly lister = {
    get: (namespace: string | undefined, name: string): T | undefined => this.#objects.get(joinKey(namespace, name)),
    list: ({ namespace = "" } = {}): T[] =>
      [...this.#objects.values()].filter(({ metadata }) => !namespace || metadata?.namespace === namespace),
  };

  constructor({ hasSynced = true, objects = [] }: { hasSynced?: boolean; objects?: readonly T[] } = {}) {
    for (const object of objects) this.#objects.set(objectKey(object), object);
    if (hasSynced) this.#synced.resolve();
  }

  get handlers(): number {
    return this.#handlers.size;
  }

  sync(): void {
    this.#synced.resolve();
  }

  addEventHandler(handler: EventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    const synced = this.#synced;
    const registration = {
      get hasSynced() {
        return synced.settled;
      },
      whenSynced: synced.promise,
    };
    this.handlerOptions.push(options);
    this.#handlers.set(registration, handler);
    for (const object of this.#objects.values()) handler.onAdd?.(object, true);
    return registration;
  }

  removeEventHandler(registration: HandlerRegistration): Promise<void> {
    this.#handlers.delete(registration);
    return Promise.resolve();
  }

  add(object: T): void {
    this.#objects.set(objectKey(object), object);
    for (const handler of this.#handlers.values()) handler.onAdd?.(object, false);
  }

  update(object: T): void {
    const old = this.#objects.get(objectKey(object));
    if (!old) throw new Error(`Cannot update "${objectKey(object)}": it was never added`);
    this.#objects.set(objectKey(object), object);
    for (const handler of this.#handlers.values()) handler.onUpdate?.(old, object);
  }

  delete(deleted: T | DeletedFinalStateUnknown<T>): void {
    this.#objects.delete(deletedKey(deleted));
    for (const handler of this.#handlers.values()) handler.onDelete?.(deleted);
  }
}
