import { type KubeObject, splitKey } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { ObjectRef } from "../../client/mod.ts";

/** An object's name and namespace, as requests take them. */
export function refOf({ metadata }: KubeObject): ObjectRef {
  return { namespace: metadata?.namespace, name: metadata?.name ?? "" };
}

/**
 * The cached object with this key.
 *
 * @param key `namespace/name`, or the name of a cluster-scoped object.
 */
export function byKey<T extends KubeObject>(lister: Pick<Lister<T>, "get">, key: string): T | undefined {
  const { namespace, name } = splitKey(key);
  return lister.get(namespace, name);
}
