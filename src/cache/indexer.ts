import { activities, type Activity } from "../client/mod.ts";
import { type KubeObject, objectKey } from "../api/mod.ts";
import type { IndexErrorHandler, Indexers, IndexTable } from "./index_table.ts";
import { StoreContent } from "./store_content.ts";
import { DeletedFinalStateUnknown, deletedKey } from "./tombstone.ts";

/** Options of {@link Indexer}. */
export interface IndexerOptions<T> {
  /**
   * The resource with its group, under which look-ups are recorded for the current piece of work; if absent, they are
   * not recorded.
   */
  readonly resource?: string;
  readonly indexers?: Indexers<T>;
  /** Default: rethrow, because an index function must not throw. */
  readonly onIndexError?: IndexErrorHandler;
}

/**
 * Objects of one resource by key, with named indexes: what listers read.
 *
 * Contract:
 * 1. Add and update are the same upsert; deleting an absent key does nothing.
 * 2. Every index holds exactly the keys of the stored objects that have a value, and no value without keys.
 * 3. A replacement swaps objects, indexes and resource version in one step; no reader sees a mixture.
 * 4. The resource version is that of the last object written, of the last replacement, or of the last bookmark,
 *    whichever came last; a tombstone, and an object without a version, leave it as it is; it is empty before all of
 *    these.
 * 5. An index added later holds the objects already present; a name taken already is an error and changes nothing.
 * 6. Asking for an unknown index is an error; results have no promised order.
 *
 * Objects are shared and must not be changed: copy one with `deepCopy` first.
 * Upstream: `k8s.io/client-go/tools/cache/thread_safe_store.go`.
 *
 * @typeParam T The type of the objects.
 *
 * @example Pods by node
 * ```ts
 * import type { Pod } from "kubeloop/api";
 * import { Indexer } from "kubeloop/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const pods = new Indexer<Pod>({ indexers: { node: (pod) => pod.spec?.nodeName ? [pod.spec.nodeName] : [] } });
 * pods.add({ metadata: { namespace: "a", name: "p" }, spec: { containers: [], nodeName: "n1" } });
 * assertEquals(pods.byIndex("node", "n1").map((pod) => pod.metadata?.name), ["p"]);
 * ```
 */
export class Indexer<T extends KubeObject> {
  #content: StoreContent<T>;
  #indexers: Indexers<T>;
  #resourceVersion = "";
  readonly #onIndexError: IndexErrorHandler;
  readonly #resource: string | undefined;

  constructor({ resource, indexers = {}, onIndexError = rethrow }: IndexerOptions<T> = {}) {
    this.#resource = resource;
    this.#indexers = { ...indexers };
    this.#onIndexError = onIndexError;
    this.#content = new StoreContent(this.#indexers, onIndexError);
  }

  /** How recent the content is, as the API server counts; empty until the first write. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** The number of objects. */
  get size(): number {
    return this.#content.size;
  }

  /** Stores `object` and returns the object that it replaced. */
  add(object: T): T | undefined {
    const before = this.#content.put(objectKey(object), object);
    this.#advance(object);
    return before;
  }

  /** Stores `object` and returns the object that it replaced. */
  update(object: T): T | undefined {
    return this.add(object);
  }

  /** Removes the object, or what a tombstone names, and returns what was stored. */
  delete(object: T | DeletedFinalStateUnknown<T>): T | undefined {
    const before = this.#content.remove(deletedKey(object));
    if (!(object instanceof DeletedFinalStateUnknown)) this.#advance(object);
    return before;
  }

  /** Makes `objects` the whole content, as of `resourceVersion`. Of two objects with one key the later is kept. */
  replace(objects: Iterable<T>, resourceVersion: string): void {
    const content = this.stage();
    for (const object of objects) content.put(objectKey(object), object);
    this.swap(content, resourceVersion);
  }

  /** An empty private content to fill and {@link Indexer.swap} in. */
  stage(): StoreContent<T> {
    return new StoreContent(this.#indexers, this.#onIndexError);
  }

  /** Puts a staged content in place as of `resourceVersion`, and returns what was there before. */
  swap(content: StoreContent<T>, resourceVersion: string): StoreContent<T> {
    content.addIndexers(this.#indexers); // those added since it was staged
    const before = this.#content;
    this.#content = content;
    this.#resourceVersion = resourceVersion;
    return before;
  }

  /** Records that the content is as recent as `resourceVersion`, without a change. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  get(key: string): T | undefined {
    const object = this.#content.get(key);
    this.#reader?.read(this.#resource!, key, object ? 1 : 0);
    return object;
  }

  has(key: string): boolean {
    return this.#content.has(key);
  }

  list(): T[] {
    this.#reader?.read(this.#resource!, "all", this.#content.size);
    return [...this.#content.values()];
  }

  keys(): string[] {
    return [...this.#content.keys()];
  }

  hasIndexer(name: string): boolean {
    return Object.hasOwn(this.#indexers, name);
  }

  /** Names of the indexes with their functions. */
  get indexers(): Indexers<T> {
    return this.#indexers;
  }

  /**
   * Adds indexes over what is stored and what will be.
   *
   * @throws {Error} `indexer conflict: ...` if a name is taken; nothing is added then.
   */
  addIndexers(indexers: Indexers<T>): void {
    const taken = Object.keys(indexers).filter((name) => this.hasIndexer(name));
    if (taken.length > 0) throw new Error(`indexer conflict: ${taken.join(", ")}`);
    this.#content.addIndexers(indexers);
    this.#indexers = { ...this.#indexers, ...indexers };
  }

  /** @throws {Error} `Index with name <name> does not exist`. */
  byIndex(name: string, value: string): T[] {
    const objects: T[] = [];
    for (const key of this.#index(name).keysOf(value)) objects.push(this.#content.get(key)!);
    this.#reader?.read(this.#resource!, `${name}=${value}`, objects.length);
    return objects;
  }

  /**
   * How many objects {@link Indexer.byIndex} gives.
   *
   * @throws {Error} `Index with name <name> does not exist`.
   */
  countByIndex(name: string, value: string): number {
    return this.#index(name).keysOf(value).size;
  }

  /**
   * The keys of {@link Indexer.byIndex}, sorted.
   *
   * @throws {Error} `Index with name <name> does not exist`.
   */
  indexKeys(name: string, value: string): string[] {
    const keys = [...this.#index(name).keysOf(value)].sort();
    this.#reader?.read(this.#resource!, `${name}=${value}`, keys.length);
    return keys;
  }

  /**
   * The values that some stored object has.
   *
   * @throws {Error} `Index with name <name> does not exist`.
   */
  indexValues(name: string): string[] {
    return this.#index(name).values();
  }

  /**
   * The stored objects that share a value with `object`, each once.
   *
   * @throws {Error} `Index with name <name> does not exist`.
   */
  index(name: string, object: T): T[] {
    const index = this.#index(name);
    const keys = new Set<string>();
    for (const value of index.read(objectKey(object), object)) for (const key of index.keysOf(value)) keys.add(key);
    this.#reader?.read(this.#resource!, `${name} as of ${objectKey(object)}`, keys.size);
    return Array.from(keys, (key) => this.#content.get(key)!);
  }

  #index(name: string): IndexTable<T> {
    const index = this.#content.index(name);
    if (!index) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }

  /** The work to record this look-up for, if any; checked before its description is built. */
  get #reader(): Activity | undefined {
    return this.#resource === undefined ? undefined : activities.current;
  }

  #advance(object: T): void {
    this.#resourceVersion = object.metadata?.resourceVersion || this.#resourceVersion;
  }
}

function rethrow(error: Error): never {
  throw error;
}
