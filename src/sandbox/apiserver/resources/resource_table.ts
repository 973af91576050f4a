import {
  BUILT_IN_RESOURCES,
  CLUSTERTRUSTBUNDLES,
  DEVICETAINTRULES,
  groupResource,
  PODCERTIFICATEREQUESTS,
  PODGROUPS,
  type Resource,
  resourceKey,
  RESOURCEPOOLSTATUSREQUESTS,
  SHORT_NAMES,
  STORAGEVERSIONMIGRATIONS,
  STORAGEVERSIONS,
  WORKLOADS,
} from "../../../api/mod.ts";
import { CONVERSIONS } from "./conversions.ts";
import { compareGroups, compareGroupVersions } from "./group_priorities.ts";
import { traitsOf } from "../kinds/mod.ts";
import { structOf, structOfKind } from "../schema/mod.ts";
import type { FeatureGates } from "../traits/mod.ts";
import type { ServedResource } from "./served.ts";
import { subresourceOf } from "./subresources.ts";

/** A group and its versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly string[];
  /** Whether it is part of the server rather than of custom resources. */
  readonly isBuiltIn: boolean;
}

/**
 * Everything that is served: built-in resources, and custom ones that can come and go.
 *
 * Contract:
 * 1. `find` finds a resource by group, version and plural.
 * 2. `generation` changes whenever the table does, and `onChange` listeners are called.
 * 3. `groups` are in the order of discovery.
 */
export class ResourceTable {
  readonly #resources = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;
  /** Computed on demand, since every request needs them. */
  #groups: ReadonlyMap<string, ServedGroup> | undefined;

  constructor(gates: FeatureGates) {
    for (const resource of BUILT_IN_RESOURCES) this.add(builtIn(resource, gates));
    for (const [gate, resources] of Object.entries(GATED_RESOURCES)) {
      if (gates.has(gate)) { for (const resource of resources) this.add(builtIn(resource, gates)); }
    }
  }

  get generation(): number {
    return this.#generation;
  }

  add(resource: ServedResource): void {
    this.#resources.set(resourceKey(resource), resource);
    this.#changed();
  }

  /** Stops serving every version of the kind stored in `collection`. */
  removeCollection(collection: string): void {
    for (const [key, resource] of this.#resources) {
      if (resource.collection !== collection) continue;
      this.#resources.delete(key);
      this.#changed();
    }
  }

  /** Calls `listener` after every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(resourceKey({ group, version, plural }));
  }

  /** The stored form of a kind: the resource with that `plural.group` and no conversion. */
  stored(collection: string): ServedResource | undefined {
    return this.all().find((resource) => resource.collection === collection && !resource.conversion);
  }

  all(): ServedResource[] {
    return [...this.#resources.values()];
  }

  groups(): ServedGroup[] {
    return [...this.#groupMap().values()];
  }

  group(name: string): ServedGroup | undefined {
    return this.#groupMap().get(name);
  }

  inVersion(group: string, version: string): ServedResource[] {
    return this.all().filter((resource) => resource.group === group && resource.version === version)
      .sort((a, b) => a.plural < b.plural ? -1 : 1);
  }

  #groupMap(): ReadonlyMap<string, ServedGroup> {
    return this.#groups ??= groupsOf(this.#resources.values());
  }

  #changed(): void {
    this.#generation++;
    this.#groups = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function groupsOf(resources: Iterable<ServedResource>): Map<string, ServedGroup> {
  const found = new Map<string, { versions: Set<string>; isBuiltIn: boolean }>();
  for (const { group, version, custom } of resources) {
    const entry = found.get(group) ?? { versions: new Set(), isBuiltIn: custom === undefined };
    entry.versions.add(version);
    found.set(group, entry);
  }
  const names = [...found.keys()].sort(compareGroups);
  return new Map(names.map((group) => {
    const { versions, isBuiltIn } = found.get(group)!;
    const sorted = [...versions].sort((a, b) => compareGroupVersions(group, a, b));
    return [group, { group, versions: sorted, isBuiltIn }];
  }));
}

/** The category `all`, as in `kubectl get all`. */
const ALL = [
  "cronjobs.batch",
  "daemonsets.apps",
  "deployments.apps",
  "horizontalpodautoscalers.autoscaling",
  "jobs.batch",
  "pods",
  "replicasets.apps",
  "replicationcontrollers",
  "services",
  "statefulsets.apps",
];
const EXTENSION_GROUPS = ["admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"];

/** Warnings for users of deprecated kinds. Upstream: `k8s.io/api/core/v1/lifecycle.go`. */
const DEPRECATIONS: Readonly<Record<string, string>> = {
  "componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
  "endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** Kinds whose objects are computed when requested. */
const NOT_WATCHED = ["componentstatuses"];

/** Resources that are only served while a feature is on. */
const GATED_RESOURCES: Readonly<Record<string, readonly Resource[]>> = {
  ClusterTrustBundle: [CLUSTERTRUSTBUNDLES],
  DRADeviceTaintRules: [DEVICETAINTRULES],
  DRAResourcePoolStatus: [RESOURCEPOOLSTATUSREQUESTS],
  GenericWorkload: [WORKLOADS, PODGROUPS],
  PodCertificateRequest: [PODCERTIFICATEREQUESTS],
  StorageVersionAPI: [STORAGEVERSIONS],
  StorageVersionMigrator: [STORAGEVERSIONMIGRATIONS],
};

function builtIn(resource: Resource, gates: FeatureGates): ServedResource {
  const id = groupResource(resource);
  const { kind } = resource;
  const conversion = CONVERSIONS[`${id}/${resource.version}`];
  const collection = conversion?.collection ?? id;
  return {
    ...resource,
    verbs: (resource.verbs ?? []).filter((verb) => verb !== "watch" || !NOT_WATCHED.includes(id)).sort(),
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: SHORT_NAMES[id] ?? [],
    categories: ALL.includes(id) ? ["all"] : EXTENSION_GROUPS.includes(resource.group) ? ["api-extensions"] : [],
    served: new Map((resource.subresources ?? []).map((name) => [name, subresourceOf(resource, name)])),
    collection,
    struct: structOfKind(resource, kind),
    storageStruct: conversion && structOf(conversion.storedAs),
    conversion,
    traits: traitsOf(id, collection),
    gates,
    deprecation: DEPRECATIONS[id],
  };
}
