import { resourceKey } from "../../src/api/resource.ts";
import { typeNames } from "./types.ts";
import type { PublishedApi } from "./published_api.ts";
import { type GroupVersionKind, isUsual, type Paths } from "./schema.ts";

interface ResourceEntry extends GroupVersionKind {
  /** Whether servers serve it by default. */
  readonly isBuiltIn: boolean;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: string[];
  readonly subresources: string[];
}

/** One entry per resource that the paths serve, in path order. */
function resourceEntries(paths: Paths): ResourceEntry[] {
  const entries = new Map<string, ResourceEntry>();
  for (const [path, operations] of Object.entries(paths)) {
    const match =
      /^\/(?:api|apis\/([^/]+))\/(v\d\w*)\/(?:(namespaces\/\{namespace\})\/)?([a-z]+)(\/\{name\})?(?:\/([a-z]+))?$/
        .exec(path);
    if (!match) continue;
    const [, group = "", version, namespaced, plural, , subresource] = match;
    const key = resourceKey({ group, version, plural });
    const kind = Object.values(operations).map((operation) => operation["x-kubernetes-group-version-kind"])
      .find((kind) => kind);
    if (subresource) entries.get(key)?.subresources.push(subresource);
    if (!kind || subresource || plural === "watch") continue;
    const entry = entries.get(key) ??
      {
        ...kind,
        isBuiltIn: isUsual(path),
        group,
        version,
        plural,
        namespaced: namespaced !== undefined,
        verbs: [],
        subresources: [],
      };
    // The path without a namespace comes first for most resources; the one with it decides the scope.
    entries.set(key, namespaced ? { ...entry, namespaced: true, kind: entry.kind } : entry);
    for (const { "x-kubernetes-action": action } of Object.values(operations)) {
      const verb = action === "post" ? "create" : action === "put" ? "update" : action;
      if (verb && !entry.verbs.includes(verb)) entry.verbs.push(verb);
    }
  }
  for (const entry of entries.values()) if (entry.verbs.includes("list")) entry.verbs.push("watch");
  return [...entries.values()];
}

/** The resource table: one exported constant a resource, and the list of all that are served by default. */
export function renderResources({ schemas, paths }: PublishedApi): string {
  const names = typeNames(schemas);
  const typeOf = ({ group, version, kind }: GroupVersionKind) => {
    const found = Object.entries(schemas).find(([, schema]) =>
      schema["x-kubernetes-group-version-kind"]?.some((k) =>
        k.group === group && k.version === version && k.kind === kind
      )
    );
    return found && names.get(found[0])!;
  };
  const entries = resourceEntries(paths).filter((entry) => typeOf(entry));
  const latest = new Map<string, ResourceEntry>();
  const stability = ({ version }: ResourceEntry) => /alpha/.test(version) ? 0 : /beta/.test(version) ? 1 : 2;
  for (const entry of entries) {
    const best = latest.get(`${entry.plural}.${entry.group}`);
    if (!best || stability(entry) >= stability(best)) latest.set(`${entry.plural}.${entry.group}`, entry);
  }
  const core = new Set(entries.filter((entry) => entry.group === "").map((entry) => entry.plural));
  const constant = (entry: ResourceEntry) => {
    const base = entry.plural.toUpperCase();
    const group = entry.group && core.has(entry.plural) ? `${entry.group.split(".")[0].toUpperCase()}_` : "";
    const version = latest.get(`${entry.plural}.${entry.group}`) === entry ? "" : `_${entry.version.toUpperCase()}`;
    return group + base + version;
  };
  const types = new Set(entries.map((entry) => typeOf(entry)!));
  const out = ['import type { Resource } from "./resource.ts";'];
  out.push(`import type { ${[...types].sort().join(", ")} } from "./generated_types.ts";`, "");
  for (const entry of entries) {
    const { group, version, plural, kind, namespaced, verbs, subresources } = entry;
    const value = JSON.stringify({ group, version, plural, kind, namespaced, verbs, subresources });
    out.push(`export const ${constant(entry)}: Resource<${typeOf(entry)}> = ${value};`);
  }
  out.push(
    "",
    "/** Every resource that API servers serve by default. */",
    "export const BUILT_IN_RESOURCES: readonly Resource[] = [",
  );
  out.push(...entries.filter(({ isBuiltIn }) => isBuiltIn).map((entry) => `  ${constant(entry)},`), "];");
  return out.join("\n") + "\n";
}
