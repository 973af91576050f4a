import { deepEqual } from "../../base/mod.ts";
import { type KubeObject, objectKey, type Resource, type ResourceQuota } from "../../api/mod.ts";
import { parseAmounts, type QuotaEvaluator, sameAmounts } from "../../rules/mod.ts";
import { deletedKey, type EventHandler, finalStateOf, type Lister } from "../../cache/mod.ts";
import type { Cause, WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { updateFilter } from "./update_filter.ts";

type KeyQueue = Pick<WorkQueue, "add">;

/** The two queues of quotas: those whose usage is not known at all come first. */
export interface QuotaQueues {
  readonly primary: KeyQueue;
  readonly priority: KeyQueue;
}

/**
 * Queues quotas that came, and those whose limits changed. Their status is left alone: it is we who write it.
 *
 * @param measures Whether some kind measures a name.
 */
export function quotaHandler(
  { primary, priority }: QuotaQueues,
  { measures }: { readonly measures: (name: string) => boolean },
): EventHandler<ResourceQuota> {
  const enqueue = (quota: ResourceQuota, why: Cause) =>
    (isUsageMissing(quota, measures) ? priority : primary).add(objectKey(quota), why);
  return {
    onAdd: (quota) => enqueue(quota, cause("resourcequota", quota, "added")),
    onUpdate: (before, quota) => {
      // Most updates are our own writes of the status.
      if (deepEqual(before.spec?.hard, quota.spec?.hard)) return;
      if (sameAmounts(parseAmounts(before.spec?.hard), parseAmounts(quota.spec?.hard))) return;
      enqueue(quota, cause("resourcequota", quota, changeOf(before, quota)));
    },
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      primary.add(key, cause("resourcequota", key, "deleted"));
    },
  };
}

/** Whether admission refuses everything for now: a limit is not in the status, or has no usage that could be measured. */
function isUsageMissing({ spec, status }: ResourceQuota, measures: (name: string) => boolean): boolean {
  if (!sameAmounts(parseAmounts(spec?.hard), parseAmounts(status?.hard))) return true;
  const used = status?.used ?? {};
  return Object.keys(status?.hard ?? {}).some((name) => !Object.hasOwn(used, name) && measures(name));
}

/** Something happened after which an object may count for less. */
export interface ObjectChange {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly what: "updated" | "resynced" | "deleted";
}

/** Queues what lowers the usage of quotas. That something was created admission has counted already. */
export function objectHandler(
  resource: Resource,
  { changes, nowMs }: { readonly changes: { add(change: ObjectChange): void }; readonly nowMs: () => number },
): EventHandler<KubeObject> {
  const matters = updateFilter(resource, nowMs);
  return {
    onUpdate: matters && ((before, object) => {
      if (matters(before, object)) changes.add({ resource, object, what: changeOf(before, object) });
    }),
    onDelete: (deleted) => {
      const object = finalStateOf(deleted);
      if (object) changes.add({ resource, object, what: "deleted" });
    },
  };
}

/** What {@link replenish} works with. */
export interface ReplenishContext {
  readonly quotas: Pick<Lister<ResourceQuota>, "list">;
  readonly evaluators: { of(resource: Resource): QuotaEvaluator | undefined };
  readonly primary: KeyQueue;
}

/** Whether what a quota limits is measured by an evaluator. Cached objects never change, and quotas may limit thousands of things. */
const counted = new WeakMap<object, WeakMap<QuotaEvaluator, boolean>>();

function isCounted({ status }: ResourceQuota, evaluator: QuotaEvaluator): boolean {
  const { hard } = status ?? {};
  if (!hard) return false;
  let known = counted.get(hard);
  if (!known) counted.set(hard, known = new WeakMap());
  let answer = known.get(evaluator);
  if (answer === undefined) known.set(evaluator, answer = Object.keys(hard).some((name) => evaluator.measures(name)));
  return answer;
}

/** Queues the quotas that count objects of this kind in this namespace, by what their status says. */
export function replenish(
  { resource, object, what }: ObjectChange,
  { quotas, evaluators, primary }: ReplenishContext,
): void {
  const evaluator = evaluators.of(resource);
  if (!evaluator) return;
  for (const quota of quotas.list({ namespace: object.metadata?.namespace })) {
    if (!isCounted(quota, evaluator)) continue;
    primary.add(objectKey(quota), cause(resource.kind.toLowerCase(), object, what));
  }
}
