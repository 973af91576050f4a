import type { Resource } from "../../api/mod.ts";

/** Operations on whole collections, by discovery's names. */
export type CollectionOperation = "list" | "deletecollection";

const OPERATIONS: readonly CollectionOperation[] = ["list", "deletecollection"];

/**
 * Which operations resources lack, by discovery at the start. A later resource counts as having all; if it does not, it
 * answers 405.
 */
export class UnsupportedOperations {
  readonly #missing = new Set<string>();

  constructor(resources: Iterable<Resource>) {
    for (const resource of resources) {
      for (const operation of OPERATIONS) {
        if (!resource.verbs?.includes(operation)) this.#missing.add(keyOf(resource, operation));
      }
    }
  }

  has(resource: Resource, operation: CollectionOperation): boolean {
    return this.#missing.has(keyOf(resource, operation));
  }
}

function keyOf({ group, version, plural }: Resource, operation: CollectionOperation): string {
  return `${group}/${version}/${plural} ${operation}`;
}
