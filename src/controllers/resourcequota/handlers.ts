import { deepEqual } from "../../base/mod.ts";
import { type KubeObject, objectKey, type Resource, type ResourceQuota } from "../../api/mod.ts";
import { parseAmounts, type QuotaEvaluator, sameAmounts } from "../../rules/mod.ts";
import { deletedKey, type EventHandler, finalStateOf, type Lister } from "../../cache/mod.ts";
import type { Cause, WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { updateFilter } from "./update_filter.ts";

type KeyQueue = Pick<WorkQueue, "add">;

/** The two queues of quotas: those without any usage come first. */
export interface QuotaQueues {
  readonly primary: KeyQueue;
  readonly priority: KeyQueue;
}

/**
 * Queues new quotas, and those whose limits changed. Ignores status changes, which are our own writes.
 *
 * @param measures Whether a kind measures a name.
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

/** Whether admission currently refuses everything: a limit is not in the status, or a measurable one has no usage. */
function isUsageMissing({ spec, status }: ResourceQuota, measures: (name: string) => boolean): boolean {
  if (!sameAmounts(parseAmounts(spec?.hard), parseAmounts(status?.hard))) return true;
  const used = status?.used ?? {};
  return Object.keys(status?.hard ?? {}).some((name) => !Object.hasOwn(used, name) && measures(name));
}

/** A change after which an object may count for less. */
export interface ObjectChange {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly what: "updated" | "resynced" | "deleted";
}

/** Queues changes that lower quotas' usage. Admission has already counted creations. */
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

/** The context of {@link replenish}. */
export interface ReplenishContext {
  readonly quotas: Pick<Lister<ResourceQuota>, "list">;
  readonly evaluators: { of(resource: Resource): QuotaEvaluator | undefined };
  readonly primary: KeyQueue;
}

/**
 * Whether an evaluator measures what a quota limits. Cached objects never change, and quotas may have thousands of
 * limits.
 */
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

/** Queues the quotas whose status counts objects of this kind in this namespace. */
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
