import { apiVersionOf } from "../../api/mod.ts";
import { type DiscoveredGroup, type DiscoveredResource, StaleGroupVersionError } from "./discovered.ts";
import { type DiscoveryPart, isPathSegment, isRecord, recordsOf, textOf, textsOf } from "./discovery_part.ts";

/** Prefers the aggregated form, newest version first, and accepts the plain one from servers without it. */
export const ACCEPT_AGGREGATED = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** Whether a Content-Type's parameters name the aggregated form. */
export function isAggregated(contentType: string): boolean {
  const parameters = contentType.split(";").map((part) => part.trim());
  return parameters.includes("g=apidiscovery.k8s.io") && parameters.includes("as=APIGroupDiscoveryList") &&
    (parameters.includes("v=v2") || parameters.includes("v=v2beta1"));
}

/** Reads an APIGroupDiscoveryList. Upstream: `client-go/discovery/aggregated_discovery.go`. */
export function readAggregated(body: unknown): Required<DiscoveryPart> {
  const groups: DiscoveredGroup[] = [];
  const resources = new Map<string, DiscoveredResource[]>();
  const failures = new Map<string, Error>();
  for (const item of recordsOf(body, "items")) {
    const group = textOf(isRecord(item.metadata) ? item.metadata : {}, "name");
    const versions: string[] = [];
    for (const entry of recordsOf(item, "versions")) {
      const version = textOf(entry, "version");
      if (!isPathSegment(version) || !(group === "" || isPathSegment(group))) continue;
      const groupVersion = apiVersionOf({ group, version });
      if (entry.freshness === "Stale") {
        failures.set(groupVersion, new StaleGroupVersionError(groupVersion));
        continue;
      }
      versions.push(version);
      resources.set(groupVersion, readResources(entry, { group, version }));
    }
    if (versions.length > 0) groups.push({ name: group, versions, preferredVersion: versions[0] });
  }
  return { groups, resources, failures };
}

function readResources(entry: Record<string, unknown>, place: { group: string; version: string }) {
  const found: DiscoveredResource[] = [];
  for (const resource of recordsOf(entry, "resources")) {
    const kind = isRecord(resource.responseKind) ? textOf(resource.responseKind, "kind") : "";
    if (kind === "") continue; // only its subresources exist
    const plural = textOf(resource, "resource");
    if (!isPathSegment(plural)) continue;
    found.push({
      ...place,
      plural,
      kind,
      namespaced: resource.scope === "Namespaced",
      verbs: textsOf(resource, "verbs"),
      subresources: recordsOf(resource, "subresources").map((sub) => textOf(sub, "subresource")),
      singular: textOf(resource, "singularResource"),
      shortNames: textsOf(resource, "shortNames"),
      categories: textsOf(resource, "categories"),
    });
  }
  return found;
}
