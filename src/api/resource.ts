import type { ObjectMeta } from "./generated_types.ts";

/** Any Kubernetes object: what every kind has in common. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/**
 * A kind of object as the API server serves it.
 *
 * @typeParam T The object's type.
 */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower case, as in the path: `deployments`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Verbs by discovery's names: create delete deletecollection get list patch update watch. */
  readonly verbs?: readonly string[];
  readonly subresources?: readonly string[];
  /** Never present; ties the resource to its object type. */
  readonly objectType?: T;
}

/** A key for maps of resources, one for each version. */
export function resourceKey({ group, version, plural }: Pick<Resource, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`;
}

/** How upstream's messages name a resource: `apps/v1, Resource=deployments`, and `/v1, Resource=pods`. */
export function resourceText({ group, version, plural }: Pick<Resource, "group" | "version" | "plural">): string {
  return `${group}/${version}, Resource=${plural}`;
}
