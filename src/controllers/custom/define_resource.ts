import type { KubeObject, Resource } from "../../api/mod.ts";

/** A resource for {@link defineResource}. */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: the kind in lower case plus `s`. */
  readonly plural?: string;
  /** Default: `true`. */
  readonly namespaced?: boolean;
}

/**
 * A resource of your own, as its CustomResourceDefinition names it.
 *
 * @example
 * ```ts
 * import { defineResource } from "kubeloop";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(defineResource({ group: "example.com", version: "v1", kind: "Site" }).plural, "sites");
 * ```
 */
export function defineResource<T extends KubeObject>(
  { plural, namespaced = true, ...definition }: ResourceDefinition,
): Resource<T> {
  return { ...definition, namespaced, plural: plural ?? `${definition.kind.toLowerCase()}s` };
}
