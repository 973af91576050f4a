import { acceptsForm } from "../../base/mod.ts";
import { answerJson, pathNotFound } from "../apiserver/mod.ts";
import type { ListedResource, MetricsGroup } from "./served_metrics.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/**
 * Serves `/apis`, in both the old and the aggregated form, `/apis/G` and `/apis/G/V`.
 *
 * @param path The path after `/apis`.
 * @throws {ApiError} 404 if the group or version is not served.
 */
export function discoveryOf(groups: readonly MetricsGroup[], path: readonly string[], accept: string): Response {
  const [name, version] = path;
  if (name === undefined) {
    if (!acceptsForm(accept, AGGREGATED)) {
      return answerJson({ kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) });
    }
    const items = groups.map(aggregatedGroup);
    const list = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
    return answerJson(list, { headers: { "content-type": AGGREGATED, vary: "Accept" } });
  }
  const served = groups.find(({ group }) => group === name);
  if (!served) throw pathNotFound();
  if (version === undefined) return answerJson({ kind: "APIGroup", apiVersion: "v1", ...groupEntry(served) });
  if (!served.versions.includes(version)) throw pathNotFound();
  return answerJson({
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${name}/${version}`,
    resources: served.resources().map((resource) => ({ singularName: "", ...resource })),
  });
}

function groupEntry({ group, versions }: MetricsGroup): object {
  const entries = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

function aggregatedGroup({ group, versions, resources }: MetricsGroup): object {
  const listed = aggregatedResources(resources());
  return {
    metadata: { name: group },
    versions: versions.map((version) => ({ version, resources: listed, freshness: "Current" })),
  };
}

/**
 * A list in the aggregated form: `pods/requests` becomes a subresource of a resource without verbs. Upstream:
 * `apiserver/pkg/endpoints/installer.go` (ConvertGroupVersionIntoToDiscovery).
 */
function aggregatedResources(listed: readonly ListedResource[]): object[] {
  const found = new Map<string, { readonly entry: object; readonly subresources: object[] }>();
  for (const { name, namespaced, kind, verbs } of listed) {
    const slash = name.indexOf("/");
    const resource = slash < 0 ? name : name.slice(0, slash);
    const known = found.get(resource) ?? { entry: resourceEntry(resource, { namespaced }), subresources: [] };
    const responseKind = { group: "", version: "", kind };
    if (slash < 0) found.set(resource, { ...known, entry: resourceEntry(resource, { namespaced, kind, verbs }) });
    else {
      known.subresources.push({ subresource: name.slice(slash + 1), responseKind, verbs });
      found.set(resource, known);
    }
  }
  return [...found.values()].map(({ entry, subresources }) =>
    subresources.length > 0 ? { ...entry, subresources } : entry
  );
}

function resourceEntry(
  resource: string,
  { namespaced, kind = "", verbs = [] }: Partial<ListedResource>,
): object {
  const responseKind = { group: "", version: "", kind };
  return { resource, responseKind, scope: namespaced ? "Namespaced" : "Cluster", singularResource: "", verbs };
}
