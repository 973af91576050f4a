import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from "../../../api/mod.ts";

/** How fast an autoscaler may scale in one direction. */
export interface ScalingRules {
  /** For how long a recommendation counts. */
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
 * What an autoscaler's behaviour says, with what goes without saying.
 * Upstream: `pkg/apis/autoscaling/v2/defaults.go`.
 *
 * @param downscaleWindowMs Where it does not say for how long a recommendation holds up scaling down.
 */
export function behaviorOf(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  downscaleWindowMs: number,
): Behavior {
  return {
    up: rulesOf(scaleUp, { windowMs: 0, policies: UP }),
    // Upstream puts the flag's value into a field of whole seconds.
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

/** For how long what was done can matter to a policy. */
export function longestPeriodMs({ policies }: ScalingRules): number {
  return Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds)) * 1000;
}
