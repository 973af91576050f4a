import type { KubeObject } from "../../../api/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";

/** A collection that is small and read far more often than written. */
export interface SmallCollection<T extends KubeObject> {
  readonly name: string;
  /** Never present; ties the collection to its type. */
  readonly objectType?: T;
}

const KNOWN = new WeakMap<Store, Map<string, Map<string, readonly StoredObject[]>>>();

/**
 * The objects of a collection, of one namespace or of none where it is cluster-scoped, by name. Nothing is scanned again before
 * one of them was written: that a namespace has no quota costs a pod's creation a look into a map.
 */
export function smallList<T extends KubeObject>(
  store: Store,
  { name }: SmallCollection<T>,
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
    // A namespace that went takes what was known of it along, so that no more is kept than there are namespaces.
    store.subscribe("namespaces", ({ type, key }) => void (type === "DELETED" && known.delete(key)));
  }
  return lists;
}
