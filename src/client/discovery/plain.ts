import { apiVersionOf, type GroupVersion } from "../../api/mod.ts";
import type { DiscoveredGroup, DiscoveredResource } from "./discovered.ts";
import { isRecord, recordsOf, textOf, textsOf } from "./discovery_part.ts";

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
  const found: DiscoveredResource[] = [];
  for (const entry of entries) {
    const plural = textOf(entry, "name");
    if (plural.includes("/")) continue;
    const prefix = `${plural}/`;
    found.push({
      group: place.group,
      version: place.version,
      plural,
      kind: textOf(entry, "kind"),
      namespaced: entry.namespaced === true,
      verbs: textsOf(entry, "verbs"),
      subresources: entries.map((other) => textOf(other, "name"))
        .filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
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
    versions.map((version) => ({ group, version, text: apiVersionOf({ group, version }) }))
  );
}
