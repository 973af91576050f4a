import { BUILT_IN_RESOURCES, compareVersions, groupResource, type Resource } from "../../api/mod.ts";
import { CONVERSIONS } from "./conversions.ts";
import { traitsOf } from "./kinds/mod.ts";
import { categoriesOf, SHORT_NAMES } from "./resource_names.ts";
import { structOf, structOfKind } from "./schema/types.ts";
import type { ServedResource } from "./served.ts";
import { subresourceOf } from "./subresources.ts";

/** A group and its versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly string[];
}

/**
 * Everything that is served: the built-in resources, and custom ones as they come and go.
 *
 * Contract:
 * 1. `find` knows a resource by group, version and plural.
 * 2. `generation` changes whenever the table does.
 */
export class ResourceTable {
  readonly #resources = new Map<string, ServedResource>();
  #generation = 0;

  constructor() {
    for (const resource of BUILT_IN_RESOURCES) this.add(builtIn(resource));
  }

  get generation(): number {
    return this.#generation;
  }

  add(resource: ServedResource): void {
    this.#resources.set(keyOf(resource), resource);
    this.#generation++;
  }

  /** Stops serving every version of the kind stored in `collection`. */
  removeCollection(collection: string): void {
    for (const [key, resource] of this.#resources) {
      if (resource.collection !== collection) continue;
      this.#resources.delete(key);
      this.#generation++;
    }
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(keyOf({ group, version, plural }));
  }

  /** The stored form of a kind: the resource of that `plural.group` that needs no conversion. */
  stored(collection: string): ServedResource | undefined {
    return this.all().find((resource) => resource.collection === collection && !resource.conversion);
  }

  all(): ServedResource[] {
    return [...this.#resources.values()];
  }

  groups(): ServedGroup[] {
    const versions = new Map<string, Set<string>>();
    for (const { group, version } of this.#resources.values()) {
      versions.set(group, (versions.get(group) ?? new Set()).add(version));
    }
    return [...versions].map(([group, set]) => ({ group, versions: [...set].sort((a, b) => compareVersions(b, a)) }));
  }

  /** The resources of one version, by name. */
  inVersion(group: string, version: string): ServedResource[] {
    return this.all().filter((resource) => resource.group === group && resource.version === version)
      .sort((a, b) => a.plural < b.plural ? -1 : 1);
  }
}

function keyOf({ group, version, plural }: Pick<Resource, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`;
}

function builtIn(resource: Resource): ServedResource {
  const id = groupResource(resource);
  const { kind } = resource;
  const conversion = CONVERSIONS[`${id}/${resource.version}`];
  const collection = conversion?.collection ?? id;
  return {
    ...resource,
    verbs: [...resource.verbs ?? []].sort(),
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: SHORT_NAMES[id] ?? [],
    categories: categoriesOf(id),
    served: new Map((resource.subresources ?? []).map((name) => [name, subresourceOf(resource, name)])),
    collection,
    struct: structOfKind(resource, kind),
    storageStruct: conversion && structOf(conversion.storedAs),
    conversion,
    traits: traitsOf(collection),
  };
}
