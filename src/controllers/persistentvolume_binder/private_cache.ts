import { compareResourceVersions, type KubeObject, objectKey } from "../../api/mod.ts";
import { Indexer, type Indexers } from "../../cache/mod.ts";

/** Options of {@link PrivateCache}. */
export interface PrivateCacheOptions<T> {
  readonly indexers?: Indexers<T>;
  /** Hears of each object that is stored or taken out. */
  onChange?(before: T | undefined, after: T | undefined): void;
}

/**
 * A controller's cache of a kind: its informer's objects, and its own writes before the informer shows them.
 *
 * Contract:
 * 1. An older version never takes the place of a newer one.
 * 2. An object whose version cannot be compared with the one that is there is an error, and changes nothing.
 * 3. An object that the informer does not have is gone if it is older than the informer's position, and kept if it is
 *    newer.
 *
 * Upstream: `pkg/controller/volume/persistentvolume` (storeObjectUpdate).
 */
export class PrivateCache<T extends KubeObject> {
  readonly #objects: Indexer<T>;
  readonly #onChange: PrivateCacheOptions<T>["onChange"];

  constructor({ indexers, onChange }: PrivateCacheOptions<T> = {}) {
    this.#objects = new Indexer({ indexers });
    this.#onChange = onChange;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  byIndex(name: string, value: string): T[] {
    return this.#objects.byIndex(name, value);
  }

  /**
   * Takes an object.
   *
   * @returns Whether it is now what is stored: a newer one may have been there.
   * @throws {Error} By sentence 2 of the contract.
   */
  store(object: T): boolean {
    const before = this.#objects.get(objectKey(object));
    if (before) {
      const [old, now] = [before, object].map(({ metadata }) => metadata?.resourceVersion ?? "");
      const order = compareResourceVersions(now, old);
      if (order === undefined) {
        throw new Error(
          `Cannot take ${objectKey(object)} into the cache: versions ${JSON.stringify(now)} and ` +
            `${JSON.stringify(old)} cannot be compared`,
        );
      }
      if (order < 0) return false;
    }
    this.#objects.add(object);
    this.#onChange?.(before, object);
    return true;
  }

  /** Takes out the object of that key, and gives it. */
  remove(key: string): T | undefined {
    const before = this.#objects.get(key);
    if (!before) return undefined;
    this.#objects.delete(before);
    this.#onChange?.(before, undefined);
    return before;
  }

  /** Whether an object that `shown` lacks is gone, by sentence 3 of the contract. */
  isBehind(key: string, shown: Pick<Indexer<T>, "has" | "resourceVersion">): boolean {
    const own = this.#objects.get(key);
    if (!own || shown.has(key)) return false;
    const order = compareResourceVersions(own.metadata?.resourceVersion ?? "", shown.resourceVersion);
    return order === undefined || order <= 0;
  }

  /** The keys of all that {@link PrivateCache.isBehind}. */
  keysBehind(shown: Pick<Indexer<T>, "has" | "resourceVersion">): string[] {
    return this.#objects.keys().filter((key) => this.isBehind(key, shown));
  }
}
