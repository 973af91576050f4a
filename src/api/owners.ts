import type { OwnerReference } from "./generated_types.ts";
import type { KubeObject, Resource } from "./resource.ts";
import { apiVersionOf } from "./resource_paths.ts";

/**
 * The reference to the object's managing controller: the first owner reference with `controller: true`.
 * Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go` (GetControllerOf).
 */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether `owner` is the managing controller of `object`, which is decided by uid alone. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata?.uid;
}

/**
 * The owner reference by which `owner`, of kind `resource`, manages an object and holds up its own foreground deletion.
 *
 * @example
 * ```ts
 * import { newControllerRef, REPLICASETS } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(newControllerRef({ metadata: { name: "web", uid: "u1" } }, REPLICASETS), {
 *   apiVersion: "apps/v1",
 *   kind: "ReplicaSet",
 *   name: "web",
 *   uid: "u1",
 *   controller: true,
 *   blockOwnerDeletion: true,
 * });
 * ```
 */
export function newControllerRef(owner: KubeObject, resource: Resource): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: owner.metadata?.name ?? "",
    uid: owner.metadata?.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
