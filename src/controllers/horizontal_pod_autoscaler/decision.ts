import type { Autoscaler } from "./context.ts";

/** What is to be done about the number of replicas before any metric is looked at. */
export type Precheck =
  /** Somebody has switched the target off. */
  | { readonly kind: "disabled" }
  /** It is out of range. */
  | { readonly kind: "out-of-range"; readonly desired: number; readonly reason: string }
  /** The metrics decide. */
  | { readonly kind: "metrics" };

/** What an autoscaler is, as far as that decides whether metrics do. */
export interface PrecheckInput {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  /** Whether it was the autoscaler that scaled to none. */
  readonly isScaledToZero: boolean;
  /** Whether a metric can tell without pods. */
  readonly hasMetricWithoutPods: boolean;
}

export const BELOW_MINIMUM = "Current number of replicas below Spec.MinReplicas";
const ABOVE_MAXIMUM = "Current number of replicas above Spec.MaxReplicas";

/**
 * Whether metrics are needed at all. Without replicas they are not: that is how a user switches an autoscaler off, unless
 * the autoscaler itself has scaled to none.
 */
export function precheck({ current, min, max, isScaledToZero, hasMetricWithoutPods }: PrecheckInput): Precheck {
  if (current === 0) {
    const isOurs = isScaledToZero && (min !== 0 || hasMetricWithoutPods);
    return isOurs ? { kind: "metrics" } : { kind: "disabled" };
  }
  if (current > max) return { kind: "out-of-range", desired: max, reason: ABOVE_MAXIMUM };
  if (current < min) return { kind: "out-of-range", desired: min, reason: BELOW_MINIMUM };
  return { kind: "metrics" };
}

/** Whether a metric can tell how many replicas are needed where there are none. */
export function hasMetricWithoutPods({ spec }: Autoscaler): boolean {
  return spec.metrics?.some(({ type }) => type === "Object" || type === "External") ?? false;
}
