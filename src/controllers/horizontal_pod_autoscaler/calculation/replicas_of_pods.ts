import type { Pod } from "../../../api/mod.ts";
import type { PodMetrics } from "../metrics_api/mod.ts";
import { type GroupingOptions, groupPods, type RequestQuery, requestsOf } from "./pod_figures.ts";
import { isWithin, toInt32, type Tolerances } from "./ratios.ts";

/** Data about a target's pods. */
export interface PodsInput extends GroupingOptions {
  readonly pods: readonly Pod[];
  /** In thousandths. */
  readonly metrics: PodMetrics;
  /** How many replicas are wanted now. */
  readonly current: number;
  readonly tolerances: Tolerances;
}

/** The number of replicas that pods' figures call for. */
export interface PodsProposal {
  readonly replicas: number;
  /** What a pod uses on average, in thousandths. */
  readonly average: bigint;
  /** The same in percent of the request. */
  readonly utilization?: number;
}

type Usage = ReadonlyMap<string, bigint>;

/** The measured usage. */
interface Measure {
  /** The ratio of usage to its target. */
  readonly ratio: number;
  readonly average: bigint;
  readonly utilization?: number;
}

/** How usage is measured, and what is assumed for pods without figures. */
interface Yardstick {
  /** @throws {Error} If it cannot be measured. */
  measure(usage: Usage): Measure;
  /** The assumed usage of a pod without figures when scaling down. */
  assumed(pod: string): bigint;
}

/**
 * How many replicas bring the usage of a resource to a percentage of the pods' requests.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (GetResourceReplicas).
 *
 * @param target In percent.
 * @throws {Error} If there are no pods, no figures, or a pod without a request.
 */
export function replicasByUtilization(
  input: PodsInput,
  target: number,
  query: RequestQuery,
): PodsProposal {
  const assumedPercent = BigInt(Math.max(100, target));
  return propose(input, () => {
    const requests = requestsOf(input.pods, query);
    return {
      measure: (usage) => utilizationOf(usage, requests, target),
      assumed: (pod) => BigInt.asIntN(64, requests.get(pod)! * assumedPercent) / 100n,
    };
  });
}

/**
 * How many replicas bring the average of a metric to its target.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (calcPlainMetricReplicas).
 *
 * @param target In thousandths.
 * @throws {Error} If there are no pods or no figures.
 */
export function replicasByAverage(input: PodsInput, target: bigint): PodsProposal {
  return propose(input, () => ({
    measure: (usage) => {
      const average = sum(usage.values()) / BigInt(usage.size);
      return { ratio: Number(average) / Number(target), average };
    },
    assumed: () => target,
  }));
}

/** Upstream: `pkg/controller/podautoscaler/metrics/utilization.go` (GetResourceUtilizationRatio). */
function utilizationOf(usage: Usage, requests: Usage, target: number): Measure {
  const known = [...usage.keys()].filter((pod) => requests.has(pod));
  const requested = sum(known.map((pod) => requests.get(pod)!));
  if (requested === 0n) throw new Error("no metrics returned matched known pods");
  const used = sum(known.map((pod) => usage.get(pod)!));
  const utilization = Number(BigInt.asIntN(32, BigInt.asIntN(64, used * 100n) / requested));
  return { ratio: utilization / target, utilization, average: used / BigInt(known.length) };
}

/** Overflows as Go's 64 bits do. */
function sum(values: Iterable<bigint>): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return BigInt.asIntN(64, total);
}

function propose(input: PodsInput, yardstickOf: () => Yardstick): PodsProposal {
  const { pods, metrics, current, tolerances } = input;
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, input);
  const usage = new Map([...metrics].map(([pod, { value }]) => [pod, value]));
  for (const pod of [...ignored, ...unready]) usage.delete(pod);
  if (usage.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const yardstick = yardstickOf();
  const { ratio, ...measured } = yardstick.measure(usage);
  const countsUnready = unready.size > 0 && ratio > 1;
  if (!countsUnready && missing.size === 0) {
    return { ...measured, replicas: isWithin(tolerances, ratio) ? current : toInt32(Math.ceil(ratio * ready)) };
  }
  // Pods without figures are assumed to use what argues against scaling.
  for (const pod of ratio === 1 ? [] : missing) usage.set(pod, ratio < 1 ? yardstick.assumed(pod) : 0n);
  for (const pod of countsUnready ? unready : []) usage.set(pod, 0n);
  const cautious = yardstick.measure(usage).ratio;
  const replicas = toInt32(Math.ceil(cautious * usage.size));
  const turns = ratio < 1 && cautious > 1 || ratio > 1 && cautious < 1;
  const isOpposite = cautious < 1 && replicas > current || cautious > 1 && replicas < current;
  const stays = isWithin(tolerances, cautious) || turns || isOpposite;
  return { ...measured, replicas: stays ? current : replicas };
}
