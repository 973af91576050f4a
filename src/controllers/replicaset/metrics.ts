import type { Histogram, MetricsRegistry } from "../../base/mod.ts";
import { isPodReady } from "../../rules/mod.ts";
import { parseTime, type Pod } from "../../api/mod.ts";

/** The metrics of ReplicaSets and ReplicationControllers, which share their series. */
export function deletionAgeRatio(metrics: MetricsRegistry): Histogram {
  return metrics.histogram({
    name: "replicaset_controller_sorting_deletion_age_ratio",
    help: "The ratio of chosen deleted pod's ages to the current youngest pod's age (at the time). Should be <2. " +
      "The intent of this metric is to measure the rough efficacy of the LogarithmicScaleDown feature gate's effect on " +
      "the sorting (and deletion) of pods when a replicaset scales down. " +
      "This only considers Ready pods when calculating and reporting.",
    buckets: [0.25, 0.5, 1, 2, 4, 8],
  });
}

/** Observes how much older than the youngest ready pod each ready one of the first `count` of `ranked` is. */
export function observeDeletionAges(
  histogram: Histogram,
  ranked: readonly Pod[],
  { count, nowMs }: { readonly count: number; readonly nowMs: number },
): void {
  const ageMs = (pod: Pod) => Math.trunc(nowMs - parseTime(pod.metadata!.creationTimestamp!));
  const ready = (pods: readonly Pod[]) => pods.filter((pod) => isPodReady(pod) && pod.metadata?.creationTimestamp);
  const youngestMs = ready(ranked).reduce((least, pod) => Math.min(least, ageMs(pod)), Infinity);
  if (youngestMs === 0) return; // created within this millisecond: there is no ratio
  for (const pod of ready(ranked.slice(0, count))) histogram.observe(Math.trunc(ageMs(pod) / youngestMs));
}
