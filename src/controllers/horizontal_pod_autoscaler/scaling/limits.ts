import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from "../../../api/mod.ts";
import { toInt32 } from "../calculation/mod.ts";
import { changeWithin, type ScalingHistory } from "./history.ts";

/** A number of replicas within the limits, and the limit that applied. */
export interface Limited {
  readonly replicas: number;
  readonly reason: "DesiredWithinRange" | "TooFewReplicas" | "TooManyReplicas" | "ScaleUpLimit" | "ScaleDownLimit";
  readonly message: string;
}

/** The wanted number and its limits. */
export interface Wish {
  readonly current: number;
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
}

/** Without a behaviour, replicas at most double at a time, or increase to this many. */
const ALWAYS_ALLOWED = 4;
const LARGEST_FACTOR = 2;

const MESSAGES: Readonly<Record<Limited["reason"], string>> = {
  DesiredWithinRange: "the desired count is within the acceptable range",
  TooFewReplicas: "the desired replica count is less than the minimum replica count",
  TooManyReplicas: "the desired replica count is more than the maximum replica count",
  ScaleUpLimit: "the desired replica count is increasing faster than the maximum scale rate",
  ScaleDownLimit: "the desired replica count is decreasing faster than the maximum scale rate",
};

function limited(replicas: number, reason: Limited["reason"]): Limited {
  return { replicas, reason, message: MESSAGES[reason] };
}

/**
 * The limits of an autoscaler without a behaviour.
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (convertDesiredReplicasWithRules).
 */
export function limitPlainly({ current, wanted, min, max }: Wish): Limited {
  const fastest = Math.max(LARGEST_FACTOR * current, ALWAYS_ALLOWED);
  if (wanted < min) return limited(min, "TooFewReplicas");
  if (wanted > Math.min(max, fastest)) {
    return fastest < max ? limited(fastest, "ScaleUpLimit") : limited(max, "TooManyReplicas");
  }
  return limited(wanted, "DesiredWithinRange");
}

/**
 * The limits of an autoscaler with a behaviour.
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (convertDesiredReplicasWithBehaviorRate).
 */
export function limitByBehavior(
  { current, wanted, min, max }: Wish,
  { up, down }: Behavior,
  { history, nowMs }: { readonly history: ScalingHistory; readonly nowMs: number },
): Limited {
  if (wanted > current) {
    const fastest = Math.max(current, upLimit(current, up, { history, nowMs }));
    if (wanted > Math.min(max, fastest)) {
      return fastest < max ? limited(fastest, "ScaleUpLimit") : limited(max, "TooManyReplicas");
    }
  } else if (wanted < current) {
    const fastest = Math.min(current, downLimit(current, down, { history, nowMs }));
    if (wanted < Math.max(min, fastest)) {
      return fastest > min ? limited(fastest, "ScaleDownLimit") : limited(min, "TooFewReplicas");
    }
  }
  return limited(wanted, "DesiredWithinRange");
}

type Past = { readonly history: ScalingHistory; readonly nowMs: number };

/** How many replicas there may be now. Upstream: calculateScaleUpLimitWithScalingRules. */
function upLimit(current: number, rules: ScalingRules, past: Past): number {
  if (rules.selectPolicy === "Disabled") return current;
  const allowed = rules.policies.map(({ type, value, periodSeconds }) => {
    const start = atStart(current, periodSeconds, past);
    // Rounded up; otherwise one replica would never become two.
    return type === "Pods" ? (start + value) | 0 : toInt32(Math.ceil(start * (1 + value / 100)));
  });
  return rules.selectPolicy === "Min" ? Math.min(...allowed) : Math.max(...allowed);
}

/** The lowest number of replicas allowed now. Upstream: calculateScaleDownLimitWithBehaviors. */
function downLimit(current: number, rules: ScalingRules, past: Past): number {
  if (rules.selectPolicy === "Disabled") return current;
  const allowed = rules.policies.map(({ type, value, periodSeconds }) => {
    const start = atStart(current, periodSeconds, past);
    return type === "Pods" ? (start - value) | 0 : toInt32(start * (1 - value / 100));
  });
  return rules.selectPolicy === "Min" ? Math.max(...allowed) : Math.min(...allowed);
}

/** The number of replicas at the start of the period. */
function atStart(current: number, periodSeconds: number, { history: { scaleUps, scaleDowns }, nowMs }: Past): number {
  const periodMs = periodSeconds * 1000;
  return current - changeWithin(scaleUps, periodMs, nowMs) + changeWithin(scaleDowns, periodMs, nowMs);
}

/** How fast an autoscaler may scale in one direction. */
export interface ScalingRules {
  /** How long a recommendation counts. */
  readonly windowMs: number;
  /** `Max`, `Min` or `Disabled`. */
  readonly selectPolicy: string;
  readonly policies: readonly HPAScalingPolicy[];
}

/** Both directions. */
export interface Behavior {
  readonly up: ScalingRules;
  readonly down: ScalingRules;
}

const ALL: HPAScalingPolicy = { type: "Percent", value: 100, periodSeconds: 15 };
const UP: readonly HPAScalingPolicy[] = [{ type: "Pods", value: 4, periodSeconds: 15 }, ALL];
const DOWN: readonly HPAScalingPolicy[] = [ALL];

/**
 * An autoscaler's behaviour with defaults.
 * Upstream: `pkg/apis/autoscaling/v2/defaults.go`.
 *
 * @param downscaleWindowMs The default stabilization window for scaling down.
 */
export function behaviorOf(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  downscaleWindowMs: number,
): Behavior {
  return {
    up: rulesOf(scaleUp, { windowMs: 0, policies: UP }),
    // Upstream stores the flag's value in a field of whole seconds.
    down: rulesOf(scaleDown, { windowMs: Math.trunc(downscaleWindowMs / 1000) * 1000, policies: DOWN }),
  };
}

function rulesOf(
  { stabilizationWindowSeconds, selectPolicy = "Max", policies }: HPAScalingRules = {},
  defaults: Pick<ScalingRules, "windowMs" | "policies">,
): ScalingRules {
  return {
    windowMs: stabilizationWindowSeconds === undefined ? defaults.windowMs : stabilizationWindowSeconds * 1000,
    selectPolicy,
    policies: policies?.length ? policies : defaults.policies,
  };
}

/** How long a scaling can matter to a policy. */
export function longestPeriodMs({ policies }: ScalingRules): number {
  return Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds)) * 1000;
}
