import { apiVersionOf } from "../../api/mod.ts";
import type { ResourceTable } from "./resource_table.ts";
import type { ServedResource } from "./served.ts";

/** Media type of aggregated discovery, as answers carry it. */
export const AGGREGATED_MEDIA_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `/api`: the versions of the core group. */
export function apiVersions(): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1" }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

/** `/apis`: every group but the core one. */
export function apiGroupList(table: ResourceTable): object {
  const groups = table.groups().filter(({ group }) => group !== "").map(({ group }) => groupEntry(table, group));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/G`, or `undefined` if the group is not served. */
export function apiGroup(table: ResourceTable, group: string): object | undefined {
  const entry = group === "" ? undefined : groupEntry(table, group);
  return entry && { kind: "APIGroup", apiVersion: "v1", ...entry };
}

function groupEntry(table: ResourceTable, group: string): object | undefined {
  const found = table.groups().find((served) => served.group === group);
  if (!found) return undefined;
  const versions = found.versions.map((version) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** `/api/v1` and `/apis/G/V`, or `undefined` if the version is not served. */
export function apiResourceList(table: ResourceTable, group: string, version: string): object | undefined {
  const served = table.inVersion(group, version);
  if (served.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap((resource) => [resourceEntry(resource), ...subresourceEntries(resource)]),
  };
}

function resourceEntry(resource: ServedResource): object {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const entry: Record<string, unknown> = { name: plural, singularName: singular, namespaced, kind, verbs };
  if (shortNames.length > 0) entry.shortNames = shortNames;
  if (categories.length > 0) entry.categories = categories;
  return entry;
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

/** `/api` (`core`) or `/apis` in the aggregated form: everything in one document. */
export function aggregatedDiscovery(table: ResourceTable, { core }: { readonly core: boolean }): object {
  const items = table.groups().filter(({ group }) => (group === "") === core).map(({ group, versions }) => ({
    metadata: group === "" ? {} : { name: group },
    versions: versions.map((version) => ({
      version,
      resources: table.inVersion(group, version).map(aggregatedEntry),
      freshness: "Current",
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function aggregatedEntry(resource: ServedResource): object {
  const { plural, group, version, kind, namespaced, singular, verbs, shortNames, categories } = resource;
  const entry: Record<string, unknown> = {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
  };
  if (shortNames.length > 0) entry.shortNames = shortNames;
  if (categories.length > 0) entry.categories = categories;
  const subresources = [...resource.served.values()].map((served) => ({
    subresource: served.name,
    responseKind: { group: served.group, version: served.version, kind: served.kind },
    verbs: served.verbs,
  }));
  if (subresources.length > 0) entry.subresources = subresources;
  return entry;
}
