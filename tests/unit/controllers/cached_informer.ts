import { type KubeObject, objectKey } from "../../../src/api/mod.ts";
import {
  type EventHandler,
  Indexer,
  type Indexers,
  Lister,
  NAMESPACE_INDEX,
  namespaceOf,
} from "../../../src/cache/mod.ts";

/** An informer with a real cache that a test fills: cache first, then handlers, at once. */
export class CachedInformer<T extends KubeObject> {
  readonly indexer = new Indexer<T>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly lister = new Lister(this.indexer);
  readonly whenSynced = Promise.resolve();
  readonly #handlers: EventHandler<T>[] = [];

  hasIndexer(name: string): boolean {
    return this.indexer.hasIndexer(name);
  }

  addIndexers(indexers: Indexers<T>): void {
    this.indexer.addIndexers(indexers);
  }

  addEventHandler(handler: EventHandler<T>): { readonly whenSynced: Promise<void> } {
    this.#handlers.push(handler);
    return { whenSynced: this.whenSynced };
  }

  /** Shows an object as it is now. */
  set(object: T): void {
    const before = this.indexer.get(objectKey(object));
    this.indexer.add(object);
    for (const handler of this.#handlers) {
      if (before) handler.onUpdate?.(before, object);
      else handler.onAdd?.(object, false);
    }
  }

  remove(key: string): void {
    const before = this.indexer.get(key);
    if (!before) return;
    this.indexer.delete(before);
    for (const handler of this.#handlers) handler.onDelete?.(before);
  }
}
