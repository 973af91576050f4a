import type { KubeObject } from "./resource.ts";

/**
 * The key under which caches and queues know an object: `namespace/name`, or `name` alone for a cluster-scoped one.
 * Upstream: `k8s.io/client-go/tools/cache` (MetaNamespaceKeyFunc).
 *
 * @example
 * ```ts
 * import { objectKey } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(objectKey({ metadata: { namespace: "default", name: "web" } }), "default/web");
 * assertEquals(objectKey({ metadata: { name: "node-1" } }), "node-1");
 * ```
 */
export function objectKey(object: KubeObject): string {
  return joinKey(object.metadata?.namespace, object.metadata?.name ?? "");
}

/** The key of the object with this namespace and name; no namespace (or an empty one) gives the name alone. */
export function joinKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * The namespace (empty for a cluster-scoped object) and the name in a key.
 * Upstream: `k8s.io/client-go/tools/cache` (SplitMetaNamespaceKey).
 *
 * @throws {Error} `unexpected key format: "a/b/c"` if the key has more than two parts.
 */
export function splitKey(key: string): { namespace: string; name: string } {
  const at = key.indexOf("/");
  if (at < 0) return { namespace: "", name: key };
  if (key.indexOf("/", at + 1) >= 0) throw new Error(`unexpected key format: ${JSON.stringify(key)}`);
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}
