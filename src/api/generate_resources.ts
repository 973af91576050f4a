import { typeNames } from "./generate_types.ts";
import { type GroupVersionKind, HEADER, type Paths, type Schemas } from "./openapi_document.ts";
import { resourceKey } from "./resource.ts";

interface ResourceEntry extends GroupVersionKind {
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
    const kind = Object.values(operations).find((operation) => operation.gvk)?.gvk;
    if (subresource) entries.get(key)?.subresources.push(subresource);
    if (!kind || subresource || plural === "watch") continue;
    const entry = entries.get(key) ??
      { ...kind, group, version, plural, namespaced: namespaced !== undefined, verbs: [], subresources: [] };
    // The path without a namespace comes first for most resources; the one with it decides the scope.
    entries.set(key, namespaced ? { ...entry, namespaced: true, kind: entry.kind } : entry);
    for (const { action } of Object.values(operations)) {
      const verb = action === "post" ? "create" : action === "put" ? "update" : action;
      if (verb && !entry.verbs.includes(verb)) entry.verbs.push(verb);
    }
  }
  for (const entry of entries.values()) if (entry.verbs.includes("list")) entry.verbs.push("watch");
  return [...entries.values()];
}

/** Schemas, and the paths that serve them. */
interface Described {
  readonly schemas: Schemas;
  readonly paths: Paths;
}

/** The resource table: one exported constant a resource, and the list of all that are served by default. */
export function renderResources(served: Described, optional: Described): string {
  const schemas = { ...served.schemas, ...optional.schemas };
  const names = typeNames(served.schemas, optional.schemas);
  const typeOf = ({ group, version, kind }: GroupVersionKind) => {
    const found = Object.entries(schemas).find(([, schema]) =>
      schema["x-kubernetes-group-version-kind"]?.some((k) =>
        k.group === group && k.version === version && k.kind === kind
      )
    );
    return found && names.get(found[0])!;
  };
  const builtIn = resourceEntries(served.paths).filter((entry) => typeOf(entry));
  const entries = [...builtIn, ...resourceEntries(optional.paths).filter((entry) => typeOf(entry))];
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
  const out = [HEADER, 'import type { Resource } from "./resource.ts";'];
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
  out.push(...builtIn.map((entry) => `  ${constant(entry)},`), "];");
  return out.join("\n") + "\n";
}
