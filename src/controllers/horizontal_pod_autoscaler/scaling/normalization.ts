import type { AutoscalingV2HorizontalPodAutoscaler } from "../../../api/mod.ts";
import { type ScalingHistory, stabilizeBoth, type Stabilized, stabilizeDown, withScaleEvent } from "./history.ts";
import { type Behavior, behaviorOf, limitByBehavior, limitPlainly, longestPeriodMs, type Wish } from "./limits.ts";

/** A condition that is true or false, and why. */
export interface Statement {
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** A normalized proposal. */
export interface Normalized {
  readonly replicas: number;
  readonly ableToScale: Statement;
  readonly scalingLimited: Statement;
}

/** The current time and the history, to which normalizing adds the proposal. */
export interface NormalizationContext {
  readonly history: ScalingHistory;
  readonly nowMs: number;
  /** The process's stabilization window for scaling down. */
  readonly downscaleWindowMs: number;
}

const UP_STABILIZED = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const DOWN_STABILIZED = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const READY = { reason: "ReadyForNewScale", message: "recommended size matches current size" };

/**
 * Limits the metrics' proposal to what may be done now.
 *
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (normalizeDesiredReplicas,
 * normalizeDesiredReplicasWithBehaviors).
 */
export function normalize(
  { wanted: proposal, ...range }: Wish,
  behavior: AutoscalingV2HorizontalPodAutoscaler["spec"]["behavior"],
  context: NormalizationContext,
): Normalized {
  const { history, nowMs, downscaleWindowMs } = context;
  const rules = behavior && behaviorOf(behavior, downscaleWindowMs);
  const stabilized = stabilize(proposal, range.current, { ...context, rules });
  history.recommendations = stabilized.recommendations;
  const wish = { ...range, wanted: stabilized.replicas };
  const { replicas, reason, message } = rules ? limitByBehavior(wish, rules, { history, nowMs }) : limitPlainly(wish);
  const held = rules && proposal >= range.current ? UP_STABILIZED : DOWN_STABILIZED;
  return {
    replicas,
    ableToScale: { isTrue: true, ...stabilized.replicas === proposal ? READY : held },
    scalingLimited: { isTrue: replicas !== stabilized.replicas, reason, message },
  };
}

function stabilize(
  proposal: number,
  current: number,
  { history, nowMs, downscaleWindowMs, rules }: NormalizationContext & { readonly rules: Behavior | undefined },
): Stabilized {
  if (!rules) return stabilizeDown(history.recommendations, { proposal, nowMs, windowMs: downscaleWindowMs });
  return stabilizeBoth(history.recommendations, {
    proposal,
    current,
    nowMs,
    upWindowMs: rules.up.windowMs,
    downWindowMs: rules.down.windowMs,
  });
}

/** Records a scaling of an autoscaler with a behaviour; without one it does not matter. */
export function rememberScaling(
  { from, to }: { readonly from: number; readonly to: number },
  behavior: AutoscalingV2HorizontalPodAutoscaler["spec"]["behavior"],
  { history, nowMs, downscaleWindowMs }: NormalizationContext,
): void {
  if (!behavior) return;
  const { up, down } = behaviorOf(behavior, downscaleWindowMs);
  if (to > from) {
    history.scaleUps = withScaleEvent(history.scaleUps, to - from, { nowMs, longestPeriodMs: longestPeriodMs(up) });
  } else {
    history.scaleDowns = withScaleEvent(history.scaleDowns, from - to, {
      nowMs,
      longestPeriodMs: longestPeriodMs(down),
    });
  }
}
