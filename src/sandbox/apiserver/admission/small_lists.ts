import type { KubeObject } from "../../../api/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";

const KNOWN = new WeakMap<Store, Map<string, Map<string, readonly StoredObject[]>>>();

/**
 * The objects of a small collection, which is read far more often than it is written: those of one namespace, or of
 * `""` if it is cluster-scoped. The result is cached until one of them is written, so that creating a pod in a
 * namespace without quotas costs one look into a map.
 *
 * @typeParam T The kind in the collection.
 */
export function smallList<T extends KubeObject>(
  store: Store,
  name: string,
  namespace = "",
): readonly (T & StoredObject)[] {
  const byNamespace = listsOf(store, name);
  let found = byNamespace.get(namespace);
  if (!found) {
    const prefix = namespace && `${namespace}/`;
    found = [...store.list(name, { prefix }) ?? []].map(({ object }) => object);
    byNamespace.set(namespace, found);
  }
  // The collection holds objects of its type.
  return found as readonly (T & StoredObject)[];
}

function listsOf(store: Store, collection: string): Map<string, readonly StoredObject[]> {
  let collections = KNOWN.get(store);
  if (!collections) KNOWN.set(store, collections = new Map());
  let lists = collections.get(collection);
  if (!lists) {
    const known: Map<string, readonly StoredObject[]> = new Map();
    collections.set(collection, lists = known);
    store.subscribe(collection, ({ object }) => void known.delete(object.metadata.namespace ?? ""));
    // Bounds the cache by the number of namespaces.
    store.subscribe("namespaces", ({ type, key }) => void (type === "DELETED" && known.delete(key)));
  }
  return lists;
}
