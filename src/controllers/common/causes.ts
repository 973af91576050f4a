import { type KubeObject, objectKey } from "../../api/mod.ts";

/**
 * Why a key was queued, as the journal and `kubeloop why` show it.
 *
 * @param kind The kind of the object that changed, in lower case.
 * @param object The object, or its key where nothing else is known of it.
 *
 * @example
 * ```ts
 * import { cause } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cause("pod", { metadata: { namespace: "default", name: "x" } }, "deleted"), "pod/default/x deleted");
 * ```
 */
export function cause(kind: string, object: KubeObject | string, what: "added" | "updated" | "deleted"): string {
  return `${kind}/${typeof object === "string" ? object : objectKey(object)} ${what}`;
}
