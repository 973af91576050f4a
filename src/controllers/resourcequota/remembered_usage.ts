import { type Amounts, podHoldsResources, type QuotaEvaluator } from "../../rules/mod.ts";
import { type KubeObject, type Pod } from "../../api/mod.ts";

/**
 * Computes what a pod counts for once for each state of the pod: the same thousand pods are added up again whenever one of them
 * goes. That a pod's grace ends is the one thing that no new state tells.
 */
export function rememberingPods(pods: QuotaEvaluator): QuotaEvaluator {
  const known = new WeakMap<KubeObject, Amounts>();
  return {
    ...pods,
    usage(pod, nowMs) {
      // What the evaluator of pods is asked about are pods.
      if (!podHoldsResources(pod as Pod, nowMs)) return pods.usage(pod, nowMs);
      let usage = known.get(pod);
      if (!usage) known.set(pod, usage = pods.usage(pod, nowMs));
      return usage;
    },
  };
}
