import { getPodCondition, isPodReady } from "../../rules/mod.ts";
import { type Job, parseTime, type Pod } from "../../api/mod.ts";
import { completionIndex } from "./job_pods.ts";
import { indexCount, isIndexed } from "./spec.ts";

/** Pods of another or no phase count as pending, as an absent entry of the Go map does. */
const PHASE_ORDER: ReadonlyMap<string, number> = new Map([["Pending", 0], ["Unknown", 1], ["Running", 2]]);

/**
 * Which of the active pods to remove if at least `count` must be: first useless ones of an Indexed Job (without a valid
 * index, or with one that a better pod has), then those with the least progress.
 * Upstream: `pkg/controller/job/job_controller.go` (activePodsForRemoval).
 */
export function podsToRemove(job: Job, active: readonly Pod[], count: number): Pod[] {
  const { useless, useful } = isIndexed(job) ? split(job, active) : { useless: [], useful: active };
  if (useless.length >= count) return useless;
  return [...useless, ...useful.toSorted(compareForRemoval).slice(0, count - useless.length)];
}

function split(job: Job, active: readonly Pod[]): { useless: Pod[]; useful: Pod[] } {
  const useless: Pod[] = [];
  const useful: Pod[] = [];
  const byIndex = Map.groupBy(active, (pod) => completionIndex(pod) ?? -1);
  for (const [index, pods] of [...byIndex].sort(([a], [b]) => a - b)) {
    if (index < 0 || index >= indexCount(job)) {
      useless.push(...pods);
      continue;
    }
    const ranked = pods.length > 1 ? pods.toSorted(compareForRemoval) : pods;
    useless.push(...ranked.slice(0, -1));
    useful.push(ranked.at(-1)!);
  }
  return { useless, useful };
}

/** Negative if `a` must be removed before `b`. Upstream: `pkg/controller/controller_utils.go` (ActivePods). */
export function compareForRemoval(a: Pod, b: Pod): number {
  const isAssigned = (pod: Pod) => pod.spec?.nodeName ? 1 : 0;
  const phase = (pod: Pod) => PHASE_ORDER.get(pod.status?.phase ?? "") ?? 0;
  const isReady = (pod: Pod) => isPodReady(pod) ? 1 : 0;
  return isAssigned(a) - isAssigned(b) || phase(a) - phase(b) || isReady(a) - isReady(b) ||
    (isReady(a) ? newestFirst(readySince(a), readySince(b)) : 0) || restarts(b) - restarts(a) ||
    sidecarRestarts(b) - sidecarRestarts(a) ||
    newestFirst(a.metadata?.creationTimestamp, b.metadata?.creationTimestamp);
}

/** An unset time comes first. */
function newestFirst(a: string | undefined, b: string | undefined): number {
  if (!a || !b) return a ? 1 : b ? -1 : 0;
  return parseTime(b) - parseTime(a);
}

function readySince(pod: Pod): string | undefined {
  return getPodCondition(pod, "Ready")?.lastTransitionTime;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...status?.containerStatuses?.map(({ restartCount }) => restartCount) ?? []);
}

function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(
    spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const statuses = status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)) ?? [];
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}
