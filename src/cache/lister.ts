import { joinKey, type KubeObject, type Selector } from "../api/mod.ts";
import type { Indexer } from "./indexer.ts";
import { NAMESPACE_INDEX } from "./shared_indexes.ts";

/** Which objects {@link Lister.list} returns; everything if empty. */
export interface ListerQuery {
  /** All namespaces if absent or empty. */
  readonly namespace?: string;
  readonly selector?: Selector;
}

/**
 * Reads one resource from its cache. The returned objects are shared: copy them before changing them.
 * Upstream: `k8s.io/client-go/tools/cache/listers.go`.
 *
 * @example
 * ```ts
 * import type { Pod } from "kubeloop/api";
 * import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "kubeloop/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const store = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
 * const pods = new Lister(store);
 * store.add({ metadata: { namespace: "a", name: "p" } });
 * assertEquals(pods.get("a", "p"), store.get("a/p"));
 * assertEquals(pods.get("a", "q"), undefined);
 * assertEquals(pods.list({ namespace: "b" }), []);
 * ```
 */
export class Lister<T extends KubeObject> {
  readonly #indexer: Indexer<T>;

  /** @param indexer Must have the index {@link NAMESPACE_INDEX}. */
  constructor(indexer: Indexer<T>) {
    this.#indexer = indexer;
  }

  /** The object, or `undefined`; `namespace` is absent for cluster-scoped resources. */
  get(namespace: string | undefined, name: string): T | undefined {
    return this.#indexer.get(joinKey(namespace, name));
  }

  /** The objects of one or all namespaces that `selector` matches, in no promised order. */
  list({ namespace, selector }: ListerQuery = {}): T[] {
    const objects = namespace ? this.#indexer.byIndex(NAMESPACE_INDEX, namespace) : this.#indexer.list();
    if (!selector || selector.isEmpty) return objects;
    return objects.filter((object) => selector.matches(object.metadata?.labels));
  }
}
