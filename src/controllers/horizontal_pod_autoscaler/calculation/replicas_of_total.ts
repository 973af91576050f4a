import { isPodReady } from "../../../rules/mod.ts";
import { type Pod } from "../../../api/mod.ts";
import { isWithin, MOST_INT64, toInt32, type Tolerances } from "./ratios.ts";

/** A metric's value and target, in thousandths. */
export interface Total {
  readonly usage: bigint;
  readonly target: bigint;
}

/** The number of replicas that a metric not tied to pods calls for. */
export interface ShareProposal {
  readonly replicas: number;
  /** The share of each existing replica, in thousandths. */
  readonly average: bigint;
}

/**
 * How many replicas bring a metric to its target, if it falls as replicas are added. From zero replicas, the ratio of
 * the metric to its target.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (getUsageRatioReplicaCount).
 *
 * @param current How many replicas are wanted now.
 * @param pods The target's pods.
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
 * How many replicas bring each one's share of a metric to its target.
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
  // Without replicas, upstream reports an overflow; beyond 64 bits it reports no average.
  if (count === 0) return { replicas, average: usage };
  const average = Number(usage) >= Number(MOST_INT64) ? MOST_INT64 : BigInt(Math.ceil(Number(usage) / count));
  return { replicas, average };
}

/** The sum of an external metric's values in 64 bits. Upstream: GetExternalMetricReplicas. */
export function sumOfValues(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    if (value > 0n && sum > MOST_INT64 - value) return MOST_INT64;
    sum += value;
  }
  return BigInt.asIntN(64, sum);
}

/**
 * The same for a sum that is shared among replicas: upstream treats a sum that ever gets negative as an overflow, even
 * if values are negative. Upstream: GetExternalPerPodMetricReplicas.
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
