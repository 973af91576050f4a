import { objectKey, type Pod, type PodDisruptionBudget } from "../../api/mod.ts";
import { type EventHandler, finalStateOf, type Lister } from "../../cache/mod.ts";
import { cause, type Change, changeOf, parentHandler, validSelectorOfCached } from "../running/mod.ts";
import type { DisruptionContext } from "./context.ts";
import { staleInMs } from "./stale_condition.ts";

/** A change of a budget queues it. */
export function budgetHandler({ queue }: Pick<DisruptionContext, "queue">): EventHandler<PodDisruptionBudget> {
  return parentHandler({ kind: "poddisruptionbudget", queue });
}

type PodContext = Pick<DisruptionContext, "world" | "recorder" | "budgets" | "queue" | "stalePods">;

/** A change of a pod queues its budget, and the pod itself if its disruption condition may become stale. */
export function podHandler(context: PodContext): EventHandler<Pod> {
  const onChange = (pod: Pod, what: Change) => {
    enqueueBudget(pod, what, context);
    const inMs = staleInMs(pod, context.world.clock.wallMs());
    if (inMs !== undefined) context.stalePods.addAfter(objectKey(pod), inMs, cause("pod", pod, what));
  };
  return {
    onAdd: (pod) => onChange(pod, "added"),
    onUpdate: (before, pod) => onChange(pod, changeOf(before, pod)),
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) enqueueBudget(pod, "deleted", context);
    },
  };
}

function enqueueBudget(pod: Pod, what: Change, { world: { log }, recorder, budgets, queue }: PodContext): void {
  const matching = budgetsOf(pod, budgets);
  const [budget] = matching;
  if (!budget) return;
  if (matching.length > 1) {
    const { namespace, name } = pod.metadata ?? {};
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  ` +
      `Chose "${budget.metadata?.name}" arbitrarily.`;
    log.info(message);
    recorder.event(pod, "Warning", "MultiplePodDisruptionBudgets", message);
  }
  queue.add(objectKey(budget), cause("pod", pod, what));
}

/**
 * The budgets that a pod belongs to. An empty selector matches every pod of the namespace; none, or an invalid one, no
 * pod. Upstream: `k8s.io/client-go/listers/policy/v1` (GetPodPodDisruptionBudgets).
 */
function budgetsOf(
  { metadata }: Pod,
  budgets: Pick<Lister<PodDisruptionBudget>, "list">,
): PodDisruptionBudget[] {
  return budgets.list({ namespace: metadata?.namespace }).filter(({ spec }) =>
    validSelectorOfCached(spec?.selector)?.matches(metadata?.labels)
  );
}
