import { isPodReady } from "../../../rules/mod.ts";
import { type Pod } from "../../../api/mod.ts";
import { isWithin, MOST_INT64, toInt32, type Tolerances } from "./ratios.ts";

/** What a metric comes to, and what it should come to, in thousandths. */
export interface Total {
  readonly usage: bigint;
  readonly target: bigint;
}

/** How many replicas a metric of no pod in particular asks for. */
export interface ShareProposal {
  readonly replicas: number;
  /** What falls to each replica there is, in thousandths. */
  readonly average: bigint;
}

/**
 * How many replicas bring a metric to its target, if it falls as replicas are added. From none at all, as many as the metric is
 * times its target.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (getUsageRatioReplicaCount).
 *
 * @param current How many replicas are wanted now.
 * @param pods Those of the target.
 * @throws {Error} If there are no pods.
 */
export function replicasByRatio(
  { usage, target }: Total,
  { current, pods, tolerances }: {
    readonly current: number;
    readonly pods: () => readonly Pod[];
    readonly tolerances: Tolerances;
  },
): number {
  const ratio = Number(usage) / Number(target);
  if (current === 0) return toInt32(Math.ceil(ratio));
  if (isWithin(tolerances, ratio)) return current;
  return toInt32(Math.ceil(ratio * readyPods(pods())));
}

/**
 * How many replicas bring the share of each in a metric to its target.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (GetExternalPerPodMetricReplicas).
 *
 * @param count How many replicas there are.
 */
export function replicasByShare(
  { usage, target }: Total,
  { count, tolerances }: { readonly count: number; readonly tolerances: Tolerances },
): ShareProposal {
  const ratio = Number(usage) / (Number(target) * count);
  const replicas = isWithin(tolerances, ratio) ? count : toInt32(Math.ceil(Number(usage) / Number(target)));
  // Without replicas upstream reports an overflow; and of more than 64 bits it reports no average.
  if (count === 0) return { replicas, average: usage };
  const average = Number(usage) >= Number(MOST_INT64) ? MOST_INT64 : BigInt(Math.ceil(Number(usage) / count));
  return { replicas, average };
}

/** The sum of what an external metric says, as much as 64 bits hold. Upstream: GetExternalMetricReplicas. */
export function sumOfValues(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    if (value > 0n && sum > MOST_INT64 - value) return MOST_INT64;
    sum += value;
  }
  return BigInt.asIntN(64, sum);
}

/**
 * The same where it is shared among replicas: upstream takes a sum that is ever below zero for one beyond 64 bits, be it that
 * values are negative. Upstream: GetExternalPerPodMetricReplicas.
 */
export function sumToShare(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    sum = BigInt.asIntN(64, sum + value);
    if (sum < 0n) return MOST_INT64;
  }
  return sum;
}

function readyPods(pods: readonly Pod[]): number {
  if (pods.length === 0) {
    const why = "no pods returned by selector while calculating replica count";
    throw new Error(`unable to calculate ready pods: ${why}`);
  }
  return pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
}
