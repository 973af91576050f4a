import { type KubeObject, objectKey } from "../../api/mod.ts";

/**
 * Why a key was queued, as the journal and `kubeloop why` show it.
 *
 * @param kind The kind of the object that changed, in lower case.
 *
 * @example
 * ```ts
 * import { cause } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cause("pod", { metadata: { namespace: "default", name: "x" } }, "deleted"), "pod/default/x deleted");
 * ```
 */
export function cause(kind: string, object: KubeObject, what: "added" | "updated" | "deleted"): string {
  return `${kind}/${objectKey(object)} ${what}`;
}
