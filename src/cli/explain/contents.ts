import { APISERVICES, findCondition, type KubeObject, type Resource } from "../../api/mod.ts";
import type { ClusterReader, Listed } from "./cluster_reader.ts";
import type { ApiFailure, ContentFacts, ListFailure, ObjectFacts } from "./facts.ts";
import { removerOf } from "./finalizer_table.ts";
import type { Kinds } from "./kinds.ts";

/** How many objects of one kind are explained individually. */
const MOST_SAMPLES = 3;

/** The contents of lists, without empty kinds, with a few blocked objects as samples. */
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

/** Finalizers without a known remover are what people need to see. */
function unknownFinalizers({ metadata }: KubeObject): number {
  return (metadata?.finalizers ?? []).filter((finalizer) => !removerOf(finalizer)).length;
}

/** Lists that failed although no rights are missing. */
export function listFailuresOf(lists: readonly Listed[]): ListFailure[] {
  return lists.flatMap(({ resource, error }) => error === undefined ? [] : [{ resource, error }]);
}

/** Parts of the API that do not answer: discovery failures, and the state of the services behind them. */
export async function apiFailuresOf(reader: ClusterReader, kinds: Kinds): Promise<ApiFailure[]> {
  const failures = new Map<string, ApiFailure>(
    [...kinds.failures].map(([groupVersion, error]) => [groupVersion, { groupVersion, error: error.message }]),
  );
  for (const { metadata, spec, status } of await reader.list(APISERVICES) ?? []) {
    const available = findCondition(status?.conditions, "Available");
    if (!spec?.service || available?.status === "True") continue;
    const groupVersion = `${spec.group}/${spec.version}`;
    if (!available && !failures.has(groupVersion)) continue; // it has not been checked yet
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
