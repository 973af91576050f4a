import { formatTime, type Pod } from "../../../../src/api/mod.ts";
import type { PodsInput } from "../../../../src/controllers/horizontal_pod_autoscaler/calculation/mod.ts";
import type { PodMetrics } from "../../../../src/controllers/horizontal_pod_autoscaler/metrics_api/mod.ts";
import { NOW_MS } from "../fake_times.ts";

const HOUR_MS = 3_600_000;

export interface PodTraits {
  /** Of cpu, for each container; none if null. */
  readonly requests?: readonly (string | null)[];
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly startedMs?: number;
  /** When it became ready, or ceased to be. */
  readonly changedMs?: number;
  readonly isDeleting?: boolean;
  readonly labels?: Record<string, string>;
}

/** A pod that has been ready for an hour and asks for one processor. */
export function pod(name: string, traits: PodTraits = {}): Pod {
  const { requests = ["1"], phase = "Running", isReady = true, isDeleting = false, labels = { app: "x" } } = traits;
  const { startedMs = NOW_MS - HOUR_MS, changedMs = startedMs } = traits;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "a", name, labels, deletionTimestamp: isDeleting ? formatTime(NOW_MS) : undefined },
    spec: {
      containers: requests.map((cpu, i) => ({
        name: `c${i}`,
        image: "x",
        resources: cpu === null ? {} : { requests: { cpu, memory: "1Gi" } },
      })),
    },
    status: {
      phase,
      startTime: formatTime(startedMs),
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: formatTime(changedMs) }],
    },
  };
}

/** The pods `p0`, `p1` and so on. */
export function pods(count: number, traits: Readonly<Record<number, PodTraits>> = {}, all: PodTraits = {}): Pod[] {
  return Array.from({ length: count }, (_, i) => pod(`p${i}`, { ...all, ...traits[i] }));
}

/** Figures of `p0`, `p1` and so on, in thousandths; `null` for a pod without one. */
export function metrics(...values: readonly (number | null)[]): PodMetrics {
  return new Map(
    values.flatMap((value, i) =>
      value === null ? [] : [[`p${i}`, { value: BigInt(value), timestampMs: NOW_MS, windowMs: 30_000 }]]
    ),
  );
}

/** What the calculations are given: a tolerance of a tenth, and the periods of the flags' defaults. */
export function input(current: number, traits: Partial<PodsInput>): PodsInput {
  return {
    current,
    pods: pods(current),
    metrics: metrics(),
    tolerances: { down: 0.1, up: 0.1 },
    nowMs: NOW_MS,
    cpuInitializationMs: 300_000,
    initialReadinessMs: 30_000,
    ...traits,
  };
}
