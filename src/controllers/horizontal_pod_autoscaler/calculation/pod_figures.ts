import { getPodCondition, isPodLevelResource, podRequests } from "../../../rules/mod.ts";
import { parseTime, type Pod, Quantity, type Time } from "../../../api/mod.ts";
import type { PodMetrics } from "../metrics_api/mod.ts";

/** How long the figures of young pods are treated with caution, in milliseconds. */
export interface StartPeriods {
  /** How long after its start a pod's usage may not reflect its load. */
  readonly cpuInitializationMs: number;
  /** A pod that became unready this soon after its start has never been ready. */
  readonly initialReadinessMs: number;
}

/** Options of {@link groupPods}. */
export interface GroupingOptions extends StartPeriods {
  /** The resource of the figures; absent for any other metric. */
  readonly resource?: string;
  /** The wall clock. */
  readonly nowMs: number;
}

/** Pods grouped by how their figures count: by name, except those that count unchanged. */
export interface PodGroups {
  readonly ready: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** Go's zero time: the year 1. */
const NO_TIME_MS = -62_135_596_800_000;

/**
 * Groups pods by how their figures count. Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (groupPods).
 */
export function groupPods(pods: readonly Pod[], metrics: PodMetrics, options: GroupingOptions): PodGroups {
  let ready = 0;
  const unready = new Set<string>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  for (const pod of pods) {
    const name = pod.metadata?.name ?? "";
    const metric = metrics.get(name);
    if (pod.metadata?.deletionTimestamp || pod.status?.phase === "Failed") ignored.add(name);
    else if (pod.status?.phase === "Pending") unready.add(name);
    else if (!metric) missing.add(name);
    else if (options.resource === "cpu" && isUnready(pod, metric, options)) unready.add(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

function isUnready(
  pod: Pod,
  metric: { readonly timestampMs: number; readonly windowMs: number },
  { cpuInitializationMs, initialReadinessMs, nowMs }: GroupingOptions,
): boolean {
  const condition = getPodCondition(pod, "Ready");
  const startTime = pod.status?.startTime;
  if (!condition || !startTime) return true;
  const startedMs = timeMs(startTime);
  const changedMs = timeMs(condition.lastTransitionTime);
  const isFalse = condition.status === "False";
  if (startedMs + cpuInitializationMs > nowMs) return isFalse || metric.timestampMs < changedMs + metric.windowMs;
  return isFalse && startedMs + initialReadinessMs > changedMs;
}

function timeMs(time: Time | undefined): number {
  return time ? parseTime(time) : NO_TIME_MS;
}

/** Which resource's requests to read, and where. */
export interface RequestQuery {
  readonly resource: string;
  /** Only this container's. */
  readonly container?: string;
  /** Whether pod-level requests win over those of containers. */
  readonly hasPodLevel: boolean;
}

/**
 * Each pod's request in thousandths, by name.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (calculateRequests).
 *
 * @throws {Error} If a pod in any state has no request.
 */
export function requestsOf(pods: readonly Pod[], query: RequestQuery): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => {
    const isWhole = query.hasPodLevel && !query.container && hasPodLevelRequests(pod);
    return [pod.metadata?.name ?? "", isWhole ? wholeRequest(pod, query) : containerRequests(pod, query)];
  }));
}

function hasPodLevelRequests({ spec }: Pod): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

function wholeRequest(pod: Pod, { resource }: RequestQuery): bigint {
  const request = podRequests(pod).get(resource);
  if (!request) throw new Error(`missing pod-level request for ${resource} in Pod ${pod.metadata?.name}`);
  return request.milliInt64();
}

function containerRequests({ metadata, spec }: Pod, { resource, container }: RequestQuery): bigint {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const all = [...spec?.containers ?? [], ...sidecars];
  const counted = container ? all.filter(({ name }) => name === container) : all;
  if (container && counted.length === 0) throw new Error(`container ${container} not found in Pod ${metadata?.name}`);
  return counted.reduce((sum, { name, resources }) => {
    const { requests = {} } = resources ?? {};
    // A resource may be called `constructor`.
    const request = Object.hasOwn(requests, resource) ? requests[resource] : undefined;
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata?.name}`);
    }
    return BigInt.asIntN(64, sum + Quantity.parse(request).milliInt64());
  }, 0n);
}
