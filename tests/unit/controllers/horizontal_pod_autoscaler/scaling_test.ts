import { assertEquals } from "@std/assert";
import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy } from "../../../../src/api/mod.ts";
import { behaviorOf } from "../../../../src/controllers/horizontal_pod_autoscaler/scaling/limits.ts";
import {
  newHistory,
  normalize,
  rememberScaling,
  type ScalingHistory,
} from "../../../../src/controllers/horizontal_pod_autoscaler/scaling/mod.ts";

/** What may be done of what metrics propose. */

/** The clock that never goes back, after an hour. */
const NOW_MS = 3_600_000;
const DOWNSCALE_WINDOW_MS = 300_000;

interface Case {
  readonly current: number;
  readonly wanted: number;
  readonly min?: number;
  readonly max?: number;
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  /** Each with its age in seconds. */
  readonly recommended?: readonly [replicas: number, age: number][];
  readonly added?: readonly [change: number, age: number][];
  readonly removed?: readonly [change: number, age: number][];
}

function history({ recommended = [], added = [], removed = [] }: Partial<Case>): ScalingHistory {
  const event = ([change, age]: readonly [number, number]) => ({
    change,
    atMs: NOW_MS - age * 1000,
    isOutdated: false,
  });
  return {
    recommendations: recommended.map(([replicas, age]) => ({ replicas, atMs: NOW_MS - age * 1000 })),
    scaleUps: added.map(event),
    scaleDowns: removed.map(event),
  };
}

function run({ current, wanted, min = 1, max = 1000, behavior, ...past }: Case) {
  const context = { history: history(past), nowMs: NOW_MS, downscaleWindowMs: DOWNSCALE_WINDOW_MS };
  const { replicas, ableToScale, scalingLimited } = normalize({ current, wanted, min, max }, behavior, context);
  assertEquals(ableToScale.isTrue, true);
  return [replicas, ableToScale.reason, `${scalingLimited.isTrue} ${scalingLimited.reason}`];
}

const READY = "ReadyForNewScale";
const policy = (type: string, value: number, periodSeconds: number): HPAScalingPolicy => ({
  type,
  value,
  periodSeconds,
});
const up = (selectPolicy: string, policies: HPAScalingPolicy[], stabilizationWindowSeconds = 0) => ({
  scaleUp: { selectPolicy, policies, stabilizationWindowSeconds },
});
const down = (selectPolicy: string, policies: HPAScalingPolicy[]) => ({
  scaleDown: { selectPolicy, policies, stabilizationWindowSeconds: 0 },
});
const TWO_OR_HALF = [policy("Pods", 2, 60), policy("Percent", 50, 60)];

const TABLE: readonly [name: string, given: Case, expected: unknown[]][] = [
  ["no behaviour doubles", { current: 3, wanted: 24, max: 100 }, [6, READY, "true ScaleUpLimit"]],
  ["no behaviour allows four", { current: 1, wanted: 24 }, [4, READY, "true ScaleUpLimit"]],
  ["the maximum", { current: 8, wanted: 24, max: 10 }, [10, READY, "true TooManyReplicas"]],
  ["the minimum", { current: 8, wanted: 1, min: 2 }, [2, READY, "true TooFewReplicas"]],
  ["just the maximum", { current: 8, wanted: 10, max: 10 }, [10, READY, "false DesiredWithinRange"]],
  ["just twice as many", { current: 8, wanted: 16 }, [16, READY, "false DesiredWithinRange"]],
  ["just the minimum", { current: 8, wanted: 2, min: 2 }, [2, READY, "false DesiredWithinRange"]],
  ["just what may be added", { current: 1, wanted: 3, behavior: up("Max", TWO_OR_HALF) }, [
    3,
    READY,
    "false DesiredWithinRange",
  ]],
  ["just what may be taken away", { current: 8, wanted: 4, behavior: down("Max", TWO_OR_HALF) }, [
    4,
    READY,
    "false DesiredWithinRange",
  ]],
  ["less than the minimum, with a behaviour", { current: 3, wanted: 0, behavior: down("Max", TWO_OR_HALF) }, [
    1,
    READY,
    "true TooFewReplicas",
  ]],
  ["a part of a replica that is taken away", {
    current: 5,
    wanted: 1,
    behavior: down("Max", [policy("Percent", 10, 60)]),
  }, [4, READY, "true ScaleDownLimit"]],
  ["within range", { current: 8, wanted: 9 }, [9, READY, "false DesiredWithinRange"]],
  ["a higher recommendation", { current: 5, wanted: 3, recommended: [[5, 299], [9, 301]] }, [
    5,
    "ScaleDownStabilized",
    "false DesiredWithinRange",
  ]],
  ["up by the smaller policy", { current: 1, wanted: 500, behavior: up("Min", TWO_OR_HALF) }, [
    2,
    READY,
    "true ScaleUpLimit",
  ]],
  ["up by the larger policy", { current: 1, wanted: 500, behavior: up("Max", TWO_OR_HALF) }, [
    3,
    READY,
    "true ScaleUpLimit",
  ]],
  ["down by the smaller policy", { current: 5, wanted: 1, behavior: down("Min", TWO_OR_HALF) }, [
    3,
    READY,
    "true ScaleDownLimit",
  ]],
  ["down by the larger policy", { current: 8, wanted: 1, behavior: down("Max", TWO_OR_HALF) }, [
    4,
    READY,
    "true ScaleDownLimit",
  ]],
  ["up, disabled", { current: 5, wanted: 9, behavior: up("Disabled", TWO_OR_HALF) }, [5, READY, "true ScaleUpLimit"]],
  ["down, disabled", { current: 5, wanted: 1, behavior: down("Disabled", TWO_OR_HALF) }, [
    5,
    READY,
    "true ScaleDownLimit",
  ]],
  ["what was added counts", {
    current: 100,
    wanted: 500,
    added: [[1, 10], [5, 60], [9, 119]],
    behavior: up("Max", [policy("Pods", 150, 120)]),
  }, [235, READY, "true ScaleUpLimit"]],
  ["more was added than may be", {
    current: 100,
    wanted: 500,
    added: [[15, 60]],
    behavior: up("Max", [policy("Pods", 5, 120)]),
  }, [100, READY, "true ScaleUpLimit"]],
  ["more was removed than may be", {
    current: 100,
    wanted: 1,
    removed: [[10, 10], [10, 20], [10, 30]],
    behavior: down("Max", [policy("Percent", 10, 120)]),
  }, [100, READY, "true ScaleDownLimit"]],
  ["what was added and removed", {
    current: 6,
    wanted: 24,
    added: [[4, 100]],
    removed: [[2, 50]],
    behavior: up("Max", [policy("Percent", 300, 300)]),
  }, [16, READY, "true ScaleUpLimit"]],
  ["an event just as old as the period is over", {
    current: 10,
    wanted: 100,
    added: [[5, 60]],
    behavior: up("Max", [policy("Pods", 5, 60)]),
  }, [15, READY, "true ScaleUpLimit"]],
  ["lower recommendations hold up scaling up", {
    current: 1,
    wanted: 7,
    recommended: [[4, 120], [5, 60]],
    behavior: up("Max", [policy("Pods", 100, 15)], 300),
  }, [4, "ScaleUpStabilized", "false DesiredWithinRange"]],
  ["higher recommendations hold up scaling down", {
    current: 7,
    wanted: 1,
    recommended: [[4, 120], [5, 60]],
    behavior: {},
  }, [5, "ScaleDownStabilized", "false DesiredWithinRange"]],
];

for (const [name, given, expected] of TABLE) {
  Deno.test(`normalize: ${name}`, () => assertEquals(run(given), expected));
}

Deno.test("behaviorOf has the API server's defaults", () => {
  assertEquals(behaviorOf({}, 300_500), {
    up: { windowMs: 0, selectPolicy: "Max", policies: [policy("Pods", 4, 15), policy("Percent", 100, 15)] },
    down: { windowMs: 300_000, selectPolicy: "Max", policies: [policy("Percent", 100, 15)] },
  });
  assertEquals(behaviorOf({ scaleDown: { stabilizationWindowSeconds: 0 } }, 300_000).down.windowMs, 0);
});

Deno.test("normalize keeps a recommendation in the place of the last one that is too old", () => {
  const past = history({ recommended: [[1, 700], [2, 600], [3, 10]] });
  const context = { history: past, nowMs: NOW_MS, downscaleWindowMs: DOWNSCALE_WINDOW_MS };
  normalize({ current: 3, wanted: 4, min: 1, max: 9 }, undefined, context);
  assertEquals(past.recommendations.map(({ replicas }) => replicas), [1, 4, 3]);
});

Deno.test("normalize with a behaviour replaces a recommendation only where it is too old for both directions", () => {
  const kept = (upWindow: number, downWindow: number) => {
    const past = history({ recommended: [[1, 401], [2, 400], [3, 301], [4, 300], [5, 10]] });
    const behavior = {
      scaleUp: { stabilizationWindowSeconds: upWindow },
      scaleDown: { stabilizationWindowSeconds: downWindow },
    };
    const context = { history: past, nowMs: NOW_MS, downscaleWindowMs: DOWNSCALE_WINDOW_MS };
    normalize({ current: 5, wanted: 9, min: 1, max: 99 }, behavior, context);
    return past.recommendations.map(({ replicas }) => replicas);
  };
  assertEquals(kept(0, 300), [1, 2, 9, 4, 5]);
  assertEquals(kept(400, 0), [9, 2, 3, 4, 5]);
  assertEquals(kept(400, 300), [9, 2, 3, 4, 5]);
  assertEquals(kept(500, 0), [1, 2, 3, 4, 5, 9]);
});

Deno.test("rememberScaling keeps what policies look at, and nothing without a behaviour", () => {
  const past = newHistory(1, 0);
  const at = (nowMs: number) => ({ history: past, nowMs, downscaleWindowMs: DOWNSCALE_WINDOW_MS });
  rememberScaling({ from: 1, to: 2 }, undefined, at(0));
  assertEquals([past.scaleUps, past.scaleDowns], [[], []]);
  rememberScaling({ from: 1, to: 4 }, {}, at(0));
  rememberScaling({ from: 4, to: 6 }, {}, at(15_000));
  assertEquals(past.scaleUps.map(({ change }) => change), [3, 2]);
  rememberScaling({ from: 6, to: 7 }, {}, at(15_001));
  assertEquals(past.scaleUps.map(({ change }) => change), [1, 2]);
  rememberScaling({ from: 7, to: 2 }, {}, at(15_002));
  assertEquals(past.scaleDowns.map(({ change }) => change), [5]);
});
