import type { Resource } from "../../api/mod.ts";

/** Resources by `resourceKey`. */
export type ResourceSet = ReadonlyMap<string, Resource>;

export function sameResources(a: ResourceSet, b: ResourceSet): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}

/** Which resources were added and removed, for a log line. */
export function resourcesDiff(before: ResourceSet, after: ResourceSet): string {
  const missing = (from: ResourceSet, other: ResourceSet) =>
    [...from.keys()].filter((key) => !other.has(key)).sort().join(" ");
  return `added: [${missing(after, before)}], removed: [${missing(before, after)}]`;
}
