import { apiVersionOf, type GroupVersion } from "../../api/mod.ts";
import type { DiscoveredGroup, DiscoveredResource } from "./discovered.ts";
import { isPathSegment, isRecord, recordsOf, textOf, textsOf } from "./discovery_part.ts";

/** Reads `/api`: the versions of the core group. */
export function readLegacyGroup(body: unknown): DiscoveredGroup[] {
  const versions = textsOf(body, "versions");
  return versions.length === 0 ? [] : [{ name: "", versions, preferredVersion: versions[0] }];
}

/** Reads `/apis`: all other groups. */
export function readGroups(body: unknown): DiscoveredGroup[] {
  return recordsOf(body, "groups").map((group) => {
    const versions = recordsOf(group, "versions").map((entry) => textOf(entry, "version"));
    const preferred = isRecord(group.preferredVersion) ? textOf(group.preferredVersion, "version") : "";
    return { name: textOf(group, "name"), versions, preferredVersion: preferred || (versions[0] ?? "") };
  });
}

/** Reads an APIResourceList; entries called `pods/status` become subresources of `pods`. */
export function readResourceList(body: unknown, place: GroupVersion): DiscoveredResource[] {
  const entries = recordsOf(body, "resources");
  const subresources = new Map<string, string[]>();
  for (const entry of entries) {
    const [plural, ...rest] = textOf(entry, "name").split("/");
    if (rest.length === 0) continue;
    const known = subresources.get(plural);
    if (known) known.push(rest.join("/"));
    else subresources.set(plural, [rest.join("/")]);
  }
  const found: DiscoveredResource[] = [];
  for (const entry of entries) {
    const plural = textOf(entry, "name");
    if (!isPathSegment(plural)) continue;
    found.push({
      group: place.group,
      version: place.version,
      plural,
      kind: textOf(entry, "kind"),
      namespaced: entry.namespaced === true,
      verbs: textsOf(entry, "verbs"),
      subresources: subresources.get(plural) ?? [],
      singular: textOf(entry, "singularName"),
      shortNames: textsOf(entry, "shortNames"),
      categories: textsOf(entry, "categories"),
    });
  }
  return found;
}

/** Every group version of `groups`. */
export function groupVersionsOf(groups: readonly DiscoveredGroup[]): (GroupVersion & { readonly text: string })[] {
  return groups.flatMap(({ name: group, versions }) =>
    versions.filter((version) => isPathSegment(version) && (group === "" || isPathSegment(group))).map((version) => ({
      group,
      version,
      text: apiVersionOf({ group, version }),
    }))
  );
}
