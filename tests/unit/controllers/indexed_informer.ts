import type { KubeObject } from "../../../src/api/mod.ts";
import {
  type DeletedFinalStateUnknown,
  Indexer,
  type Indexers,
  NAMESPACE_INDEX,
  namespaceOf,
} from "../../../src/cache/mod.ts";
import { FakeInformer } from "./garbage_collector/fake_informer.ts";

/** An informer that a test feeds, with indexes. */
export class IndexedInformer<T extends KubeObject> extends FakeInformer<T> {
  override readonly indexer = new Indexer<T>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } }) as
    & FakeInformer<T>["indexer"]
    & Indexer<T>;
  readonly whenSynced = Promise.resolve();

  constructor({ objects = [] }: { objects?: readonly T[] }) {
    super({ objects });
    for (const object of objects) this.indexer.add(object);
  }

  hasIndexer(name: string): boolean {
    return this.indexer.hasIndexer(name);
  }

  addIndexers(indexers: Indexers<T>): void {
    this.indexer.addIndexers(indexers);
  }

  override add(object: T): void {
    this.indexer.add(object);
    super.add(object);
  }

  override update(object: T): void {
    this.indexer.add(object);
    super.update(object);
  }

  override delete(deleted: T | DeletedFinalStateUnknown<T>): void {
    this.indexer.delete(deleted);
    super.delete(deleted);
  }
}
