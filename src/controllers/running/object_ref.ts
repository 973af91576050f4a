import { type KubeObject, splitKey } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { ObjectRef } from "../../client/mod.ts";

/** Where an object is, as requests name it. */
export function refOf({ metadata }: KubeObject): ObjectRef {
  return { namespace: metadata?.namespace, name: metadata?.name ?? "" };
}

/**
 * The object with this key, as its cache has it.
 *
 * @param key `namespace/name`, or the name of a cluster-scoped object.
 */
export function byKey<T extends KubeObject>(lister: Pick<Lister<T>, "get">, key: string): T | undefined {
  const { namespace, name } = splitKey(key);
  return lister.get(namespace, name);
}
