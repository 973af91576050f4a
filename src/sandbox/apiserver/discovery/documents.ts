import { apiVersionOf, type CustomResourceDefinition } from "../../../api/mod.ts";
import type { DiscoveredVersion, ServedResource, ServedSubresource } from "../resources/mod.ts";
import type { ServerState } from "../operations/mod.ts";
import { storageVersionHash } from "./digest.ts";

/** `/api`: the versions of the core group. */
export function apiVersions(serverAddress: string): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

/** `/apis`: every group but the core one. */
export function apiGroupList({ aggregation }: ServerState): object {
  const groups = aggregation.groups().filter(({ group }) => group !== "").map(groupEntry);
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/G`, or `undefined` if the group is not served. */
export function apiGroup({ aggregation }: ServerState, group: string): object | undefined {
  const found = aggregation.groups().find((each) => each.group === group);
  return found && group !== "" ? { kind: "APIGroup", apiVersion: "v1", ...groupEntry(found) } : undefined;
}

function groupEntry({ group, versions }: { readonly group: string; readonly versions: readonly string[] }): object {
  const entries = versions.map((version) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1` and `/apis/G/V`, or `undefined` if the version is not served. */
export function apiResourceList(state: ServerState, group: string, version: string): object | undefined {
  const served = state.resources.inVersion(group, version);
  if (served.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    // The core group's list predates the rule that objects have an apiVersion.
    ...group === "" ? {} : { apiVersion: "v1" },
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap((resource) => [resourceEntry(state, resource), ...subresourceEntries(resource)]),
  };
}

function resourceEntry(state: ServerState, served: ServedResource): object {
  const { plural, singular, namespaced, kind } = served;
  const hash = served.verbs.includes("create") && served.verbs.includes("list") ? hashOf(state, served) : undefined;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(served),
    ...namesOf(served),
    ...hash ? { storageVersionHash: hash } : {},
  };
}

function namesOf({ shortNames, categories }: ServedResource): object {
  return { ...shortNames.length > 0 ? { shortNames } : {}, ...categories.length > 0 ? { categories } : {} };
}

/** While a definition is being deleted, its objects can be neither created nor changed. */
function verbsOf({ verbs, custom }: ServedResource): readonly string[] {
  return custom?.isTerminating ? verbs.filter((verb) => !["create", "update", "patch"].includes(verb)) : verbs;
}

function hashOf({ store }: ServerState, { collection, group, version, kind, custom }: ServedResource): string {
  const definition = custom && store.get("customresourcedefinitions.apiextensions.k8s.io", collection);
  const { spec } = (definition ?? {}) as Partial<CustomResourceDefinition>;
  const stored = spec?.versions.findLast(({ served, storage }) => served && storage)?.name ?? version;
  return storageVersionHash({ collection, group, kind, version: stored });
}

function subresourceEntries(resource: ServedResource): object[] {
  return [...resource.served.values()].map(({ name, group, version, kind, verbs }) => ({
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...group === resource.group && version === resource.version ? {} : { group, version },
    kind,
    verbs,
  }));
}

/**
 * `/api` (for `core`) or `/apis` in the aggregated form: everything in one document.
 *
 * @param others The discovery of versions that other services serve, by `group/version`.
 */
export function aggregatedDiscovery(
  { resources, aggregation }: ServerState,
  { core, others }: { readonly core: boolean; readonly others: ReadonlyMap<string, DiscoveredVersion> },
): object {
  const groups = aggregation.groups().filter(({ group }) => (group === "") === core);
  const items = groups.map(({ group, versions }) => ({
    metadata: group === "" ? {} : { name: group },
    versions: versions.map((version) =>
      others.get(`${group}/${version}`) ?? {
        version,
        resources: resources.inVersion(group, version).map(aggregatedEntry),
        freshness: "Current",
      }
    ),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function aggregatedEntry(resource: ServedResource): object {
  const { plural, namespaced, singular } = resource;
  const subresources = [...resource.served.values()].map((served) => ({
    subresource: served.name,
    responseKind: responseKind(resource, served),
    verbs: served.verbs,
  }));
  return {
    resource: plural,
    responseKind: responseKind(resource, resource),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(resource),
    ...namesOf(resource),
    ...subresources.length > 0 ? { subresources } : {},
  };
}

/** Built-in resources leave group and version empty if they equal those of the list. */
function responseKind({ custom, ...resource }: ServedResource, answered: ServedResource | ServedSubresource): object {
  const { group, version, kind } = answered;
  const isOwn = group === resource.group && version === resource.version;
  return isOwn && !custom ? { group: "", version: "", kind } : { group, version, kind };
}
