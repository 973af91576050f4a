import { type KubeObject, objectKey } from "../api/mod.ts";

/**
 * Passed to a delete handler if the deletion itself was missed: a re-list no longer contained the key.
 *
 * `object` is the last stored state. It may be outdated or absent. An object that was deleted and recreated during the
 * gap causes no tombstone, but an update whose old and new uids differ. Upstream: `k8s.io/client-go/tools/cache`
 * (DeletedFinalStateUnknown).
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly object: T | undefined;

  constructor(key: string, object: T | undefined) {
    this.key = key;
    this.object = object;
  }
}

/**
 * The object a delete handler was called with, unwrapped; `undefined` when only its key is known.
 *
 * @example
 * ```ts
 * import { DeletedFinalStateUnknown, finalStateOf } from "kubeloop/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const pod = { metadata: { namespace: "a", name: "n" } };
 * assertEquals(finalStateOf(new DeletedFinalStateUnknown("a/n", pod)), pod);
 * assertEquals(finalStateOf(new DeletedFinalStateUnknown<typeof pod>("a/n", undefined)), undefined);
 * ```
 */
export function finalStateOf<T>(deleted: T | DeletedFinalStateUnknown<T>): T | undefined {
  return deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
}

/**
 * The key of the object that a delete handler was called with.
 * Upstream: `k8s.io/client-go/tools/cache` (DeletionHandlingMetaNamespaceKeyFunc).
 */
export function deletedKey(deleted: KubeObject | DeletedFinalStateUnknown<unknown>): string {
  return deleted instanceof DeletedFinalStateUnknown ? deleted.key : objectKey(deleted);
}
