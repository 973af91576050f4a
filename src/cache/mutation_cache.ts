import { compareResourceVersions, type KubeObject, objectKey } from "../api/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { Indexer } from "./indexer.ts";

/** Own writes remembered at most; upstream's bound. */
const CAPACITY = 100;

/** What a {@link MutationCache} stands in front of. */
export interface MutationCacheOptions<T extends KubeObject> {
  readonly clock: Clock;
  readonly indexer: Indexer<T>;
  /** How long an own write answers, in milliseconds. */
  readonly ttlMs: number;
  /** Whether own writes answer for keys that the store does not have (yet, or any more). Default false. */
  readonly includeAdds?: boolean;
}

interface Entry<T> {
  readonly object: T;
  readonly expiresMs: number;
}

/**
 * Answers with the newer of what the cache holds and what this process wrote itself.
 *
 * Contract:
 * 1. The larger resource version wins; if they are equal the store wins and the own write is forgotten.
 * 2. A key missing in the store is missing, unless adds are included and an own write is younger than its time to live.
 * 3. At most 100 own writes are remembered; the one unused for longest goes first.
 *
 * With adds included, an object keeps answering for up to its time to live after its deletion.
 * Upstream: `k8s.io/client-go/tools/cache/mutation_cache.go`.
 */
export class MutationCache<T extends KubeObject> {
  readonly #options: MutationCacheOptions<T>;
  /** In order of use, the one unused for longest first. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: MutationCacheOptions<T>) {
    this.#options = options;
  }

  /** Remembers what a write returned, unless something newer is remembered. */
  mutation(object: T): void {
    const key = objectKey(object);
    const known = this.#recall(key);
    if (known && isNewer(known, object)) return;
    this.#entries.delete(key);
    this.#entries.set(key, { object, expiresMs: this.#options.clock.monotonicMs() + this.#options.ttlMs });
    if (this.#entries.size > CAPACITY) this.#entries.delete(this.#entries.keys().next().value!);
  }

  get(key: string): T | undefined {
    const stored = this.#options.indexer.get(key);
    if (stored) return this.#newer(key, stored);
    return this.#options.includeAdds ? this.#recall(key) : undefined;
  }

  /** @throws {Error} `Index with name <name> does not exist`. */
  byIndex(name: string, value: string): T[] {
    const { indexer, includeAdds } = this.#options;
    const keys = new Set(indexer.indexKeys(name, value));
    const objects = Array.from(keys, (key) => this.#newer(key, indexer.get(key)!));
    if (!includeAdds) return objects;
    for (const key of [...this.#entries.keys()]) {
      const object = keys.has(key) ? undefined : this.#recall(key);
      if (object && indexer.indexers[name](object).includes(value)) objects.push(object);
    }
    return objects;
  }

  #newer(key: string, stored: T): T {
    const own = this.#recall(key);
    if (!own) return stored;
    if (isNewer(own, stored)) return own;
    this.#entries.delete(key);
    return stored;
  }

  #recall(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (this.#options.clock.monotonicMs() >= entry.expiresMs) return undefined;
    this.#entries.set(key, entry);
    return entry.object;
  }
}

/** An absent version counts as older than all; one that is no number is a programming error. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  const [left, right] = [a, b].map((object) => object.metadata?.resourceVersion || "");
  if (left === "" || right === "") return left !== "" && right === "";
  const order = compareResourceVersions(left, right);
  if (order === undefined) {
    throw new TypeError(
      `Cannot compare the versions of ${objectKey(a)}: not both "${left}" and "${right}" are numbers`,
    );
  }
  return order > 0;
}
