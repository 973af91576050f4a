import { APISERVICES, findCondition, type KubeObject, type Resource } from "../../api/mod.ts";
import type { ClusterReader, Listed } from "./cluster_reader.ts";
import type { ApiFailure, ContentFacts, ListFailure, ObjectFacts } from "./facts.ts";
import { removerOf } from "./finalizer_table.ts";
import type { Kinds } from "./kinds.ts";

/** Objects of one kind that are explained by themselves. */
const MOST_SAMPLES = 3;

/** What is in lists, kinds without objects left out, with a look at a few objects that something holds. */
export async function contentsOf(
  lists: readonly Listed[],
  lookAt: (resource: Resource, object: KubeObject) => Promise<ObjectFacts>,
): Promise<ContentFacts[]> {
  const contents: ContentFacts[] = [];
  for (const { resource, items, count, isAtLeast } of lists) {
    if (count === 0) continue;
    const finalizers = new Map<string, number>();
    for (const name of items.flatMap(({ metadata }) => metadata?.finalizers ?? [])) {
      finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    const held = items.filter(({ metadata }) => metadata?.finalizers?.length || metadata?.deletionTimestamp)
      .toSorted((a, b) => unknownFinalizers(b) - unknownFinalizers(a));
    const samples: ObjectFacts[] = [];
    for (const object of held.slice(0, MOST_SAMPLES)) samples.push(await lookAt(resource, object));
    contents.push({
      resource,
      count,
      isAtLeast,
      lookedAt: items.length,
      deleting: items.filter(({ metadata }) => metadata?.deletionTimestamp).length,
      finalizers: [...finalizers].sort(([a], [b]) => a < b ? -1 : 1),
      samples,
    });
  }
  return contents;
}

/** What nobody is known to remove is what people must see. */
function unknownFinalizers({ metadata }: KubeObject): number {
  return (metadata?.finalizers ?? []).filter((finalizer) => !removerOf(finalizer)).length;
}

/** Lists that could not be had although rights are not missing. */
export function listFailuresOf(lists: readonly Listed[]): ListFailure[] {
  return lists.flatMap(({ resource, error }) => error === undefined ? [] : [{ resource, error }]);
}

/** Parts of the API that do not answer: what discovery says, and what is said of the services that should answer. */
export async function apiFailuresOf(reader: ClusterReader, kinds: Kinds): Promise<ApiFailure[]> {
  const failures = new Map<string, ApiFailure>(
    [...kinds.failures].map(([groupVersion, error]) => [groupVersion, { groupVersion, error: error.message }]),
  );
  for (const { metadata, spec, status } of await reader.list(APISERVICES) ?? []) {
    const available = findCondition(status?.conditions, "Available");
    if (!spec?.service || available?.status === "True") continue;
    const groupVersion = `${spec.group}/${spec.version}`;
    if (!available && !failures.has(groupVersion)) continue; // nobody has looked at it yet
    const { namespace, name } = spec.service;
    const apiService = {
      name: metadata?.name ?? "",
      service: `${namespace}/${name}`,
      reason: available?.reason,
      message: available?.message,
    };
    failures.set(groupVersion, { groupVersion, ...failures.get(groupVersion), apiService });
  }
  return [...failures.values()].sort((a, b) => a.groupVersion < b.groupVersion ? -1 : 1);
}
