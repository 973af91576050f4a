/**
 * Autoscalers, budgets, quotas, and pods of no node that make no sense: what comes of them, and that others of their kind, which
 * are all called `ok`, do what they are for all the same.
 */
import {
  DEPLOYMENTS,
  HORIZONTALPODAUTOSCALERS,
  type KubeObject,
  type PodDisruptionBudget,
  PODDISRUPTIONBUDGETS,
  type PodDisruptionBudgetSpec,
  PODS,
  type Resource,
  type ResourceQuota,
  RESOURCEQUOTAS,
  type ResourceQuotaSpec,
} from "../../src/api/mod.ts";
import {
  autoscale,
  type Autoscaler,
  type AutoscalingScenario,
  average,
  conditionsText,
  cpu,
} from "./autoscaling_kit.ts";
import { rollOut, says } from "./autoscaling_kit.ts";
import { budgetFails, budgetSays, createBudget, createPodsOf } from "./disruption_kit.ts";
import type { Kit } from "./kit.ts";
import { definitionOf, scalable } from "./custom_kind.ts";
import { createPod, failed } from "./pod_gc_scenarios.ts";
import { limit, pod, untilCounted, untilCountIsSeen } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";
import { HUGE } from "./senseless_kit.ts";

interface Widget extends KubeObject {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly replicas: number; readonly selector: string };
}

/** A custom resource that says of its pods whatever it is told to. */
export const WIDGETS: Resource<Widget> = {
  group: "odd.example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};

export const WIDGET_DEFINITION = definitionOf(WIDGETS, scalable({ hasSelector: true }));

async function scaleWidget(kit: Kit, selector: string): Promise<void> {
  await kit.create(WIDGETS, {
    metadata: { name: "w" },
    spec: { replicas: 3 },
    status: { replicas: 3, selector },
  });
  const scaleTargetRef = { apiVersion: "odd.example.com/v1", kind: "Widget", name: "w" };
  await autoscale(kit, [cpu(50)], { scaleTargetRef }, "odd");
}

/** The autoscaler `h` works, of the Deployment `a`. */
async function autoscalerIsFine(kit: Kit): Promise<void> {
  await rollOut(kit, 1);
  await autoscale(kit, [cpu(50)]);
  await kit.until(DEPLOYMENTS, "a", "has been scaled", ({ spec }) => spec?.replicas === 2);
  await kit.rolledOut("a");
  await kit.until(
    HORIZONTALPODAUTOSCALERS,
    "h",
    "has settled",
    ({ status }) =>
      status?.currentReplicas === 2 && status.desiredReplicas === 2 && status.currentMetrics?.length === 1,
  );
  await says(kit, "True ReadyForNewScale, True ValidMetricFound, False DesiredWithinRange");
}

/** Autoscalers that are spoilt, and what they say. */
async function createSpoilt(kit: Kit, spec: Partial<Autoscaler["spec"]>): Promise<void> {
  await autoscale(kit, [cpu(50)], { minReplicas: 1 }, "odd");
  await kit.changeUnchecked(HORIZONTALPODAUTOSCALERS, "odd", (found) => {
    found.spec = { ...found.spec, ...spec };
  });
}

const AUTOSCALERS: readonly AutoscalingScenario[] = [
  ...[
    ["odd-hpa-of-no-selector", "", "True SucceededGetScale, False InvalidSelector, -"],
    ["odd-hpa-of-unreadable-selector", "app in (", "False FailedGetScale, -, -"],
    ["odd-hpa-selects-nothing", "app=nobody", "True SucceededGetScale, False FailedGetResourceMetric, -"],
  ].map(([name, selector, conditions]): AutoscalingScenario => ({
    name,
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      await scaleWidget(kit, selector);
      await says(kit, conditions, "odd");
      await autoscalerIsFine(kit);
    },
  })),
  {
    name: "odd-hpa-minimum-above-maximum",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      const scaleTargetRef = { apiVersion: "odd.example.com/v1", kind: "Widget", name: "w" };
      await createSpoilt(kit, { minReplicas: 9, maxReplicas: 4, scaleTargetRef });
      await kit.create(WIDGETS, {
        metadata: { name: "w" },
        spec: { replicas: 3 },
        status: { replicas: 3, selector: "app=nobody" },
      });
      await kit.until(WIDGETS, "w", "is at the minimum", ({ spec }) => spec.replicas === 9);
      await kit.until(WIDGETS, "w", "is at the maximum", ({ spec }) => spec.replicas === 4);
      await kit.delete(HORIZONTALPODAUTOSCALERS, "odd"); // or it would go on like that
      await autoscalerIsFine(kit);
      await kit.delete(WIDGETS, "w"); // which of the two it has is chance
    },
  },
  {
    name: "odd-hpa-policy-overflows",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "100m" } });
      await rollOut(kit, 2);
      const policies = [{ type: "Pods", value: HUGE, periodSeconds: 60 }];
      await autoscale(kit, [cpu(50)], { maxReplicas: 4, behavior: { scaleUp: { policies } } });
      await kit.until(
        HORIZONTALPODAUTOSCALERS,
        "h",
        "has looked",
        (found) => conditionsText(found).startsWith("True ReadyForNewScale, True ValidMetricFound, True "),
      );
    },
  },
  {
    name: "odd-hpa-use-overflows",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { memory: "9e18" } });
      await rollOut(kit, 2);
      await autoscale(kit, [{ type: "Resource", resource: { name: "memory", target: average("1m") } }]);
      await kit.until(
        HORIZONTALPODAUTOSCALERS,
        "h",
        "has looked",
        (found) => conditionsText(found).includes("ValidMetricFound") || conditionsText(found).includes("False"),
      );
    },
  },
  {
    name: "odd-hpa-negative-target",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      await autoscalerIsFine(kit);
      await kit.changeUnchecked(HORIZONTALPODAUTOSCALERS, "h", ({ spec }) => {
        spec.metrics = [cpu(-50)];
      });
      await says(kit, "True ReadyForNewScale, True ValidMetricFound, True TooFewReplicas");
    },
  },
];

/** A budget `b` that is spoilt. */
async function createSpoiltBudget(kit: Kit, spoil: (spec: PodDisruptionBudgetSpec) => void): Promise<void> {
  const budget: PodDisruptionBudget = {
    metadata: { name: "b" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } },
  };
  await kit.createUnchecked(PODDISRUPTIONBUDGETS, budget, ({ spec }) => spoil(spec!));
}

async function budgetIsFine(kit: Kit): Promise<void> {
  const labels = { app: "ok" };
  await kit.create(PODS, { ...pod("ok"), metadata: { name: "ok", labels } });
  await createBudget(kit, { minAvailable: 0, selector: { matchLabels: labels } }, "ok");
  await kit.until(PODDISRUPTIONBUDGETS, "ok", "lets its pod go", ({ status }) => status?.disruptionsAllowed === 1);
}

const BUDGETS: readonly Scenario[] = [
  ...([
    ["odd-pdb-of-no-number", "invalid value for IntOrString", (spec) => spec.minAvailable = "some"],
    ["odd-pdb-of-no-selector", "is not a valid label selector operator", (spec) => {
      spec.selector = { matchExpressions: [{ key: "app", operator: "Like", values: ["a"] }] };
    }],
  ] as const satisfies readonly (readonly [string, string, (spec: PodDisruptionBudgetSpec) => void])[]).map((
    [name, why, spoil],
  ): Scenario => ({
    name,
    run: async (kit) => {
      await createPodsOf(kit, ["p"]);
      await createSpoiltBudget(kit, spoil);
      await budgetFails(kit, why);
      await budgetIsFine(kit);
    },
  })),
  {
    name: "odd-pdb-negative",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q"]);
      await createSpoiltBudget(kit, (spec) => spec.minAvailable = -1);
      await budgetFails(kit, "status.desiredHealthy: Invalid value: -1");
      await budgetIsFine(kit);
    },
  },
  {
    name: "odd-pdb-both-ways",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q"]);
      await createSpoiltBudget(kit, (spec) => spec.maxUnavailable = 1);
      await kit.until(PODDISRUPTIONBUDGETS, "b", "is measured", ({ status }) => status?.currentHealthy === 2);
      await budgetIsFine(kit);
    },
  },
  {
    name: "odd-pdb-huge",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q"]);
      await createBudget(kit, { minAvailable: HUGE });
      await budgetSays(kit, [0, 2, HUGE, 2]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { minAvailable: null, maxUnavailable: HUGE } });
      await budgetSays(kit, [0, 2, 0, 0]);
      await budgetIsFine(kit);
    },
  },
  {
    name: "odd-pdb-relabelled",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q"]);
      await createBudget(kit, { minAvailable: 1 });
      await budgetSays(kit, [1, 2, 1, 2]);
      await kit.merge(PODS, "p", { metadata: { labels: { app: "other" } } });
      // Its labels of before are known to nobody: upstream learns of it from what happens to a pod next.
      await kit.merge(PODS, "q", { metadata: { annotations: { seen: "yes" } } });
      await budgetSays(kit, [0, 1, 1, 1]);
      await kit.merge(PODS, "p", { metadata: { labels: { app: "a" } } });
      await budgetSays(kit, [1, 2, 1, 2]);
    },
  },
];

const LOST: readonly Scenario[] = [
  {
    name: "odd-podgc-unknown-phase",
    run: async (kit) => {
      await createPod(kit, "p", { nodeName: "never-was" });
      await kit.changeUnchecked(PODS, "p", (found) => {
        found.status = { ...found.status, phase: "Sideways" };
      });
      await createPod(kit, "ok", { nodeName: "never-was", held: false });
      await failed(kit, "p");
      await kit.untilGone(PODS, "ok");
    },
  },
];

async function createSpoiltQuota(kit: Kit, spoil: (spec: ResourceQuotaSpec) => void): Promise<void> {
  const quota: ResourceQuota = { metadata: { name: "a" }, spec: { hard: { pods: "5", "count/pods": "9" } } };
  await kit.createUnchecked(RESOURCEQUOTAS, quota, ({ spec }) => spoil(spec!));
}

async function quotaIsFine(kit: Kit): Promise<void> {
  await limit(kit, { hard: { configmaps: "9" } }, "ok");
  await untilCounted(kit, { configmaps: "1" }, "ok");
}

const QUOTAS: readonly Scenario[] = [
  {
    name: "odd-quota-overflows",
    run: async (kit) => {
      await limit(kit, { hard: { "requests.memory": "99e18", "requests.cpu": "99e18", pods: String(HUGE) } });
      const huge = { requests: { memory: "9e18", cpu: "9e15" }, limits: { memory: "9e18" } };
      for (const name of ["x", "y"]) await kit.create(PODS, pod(name, { ...huge, spec: { schedulerName: "nobody" } }));
      await kit.merge(RESOURCEQUOTAS, "a", { spec: { hard: { pods: "7" } } });
      await kit.until(RESOURCEQUOTAS, "a", "has its new limit", ({ status }) => status?.hard?.pods === "7");
      await untilCountIsSeen(kit, { "requests.memory": "18e18", "requests.cpu": "18e15", pods: "2" });
      await quotaIsFine(kit);
    },
  },
  {
    name: "odd-quota-negative",
    run: async (kit) => {
      await createSpoiltQuota(kit, (spec) => spec.hard = { pods: "-1", configmaps: "-5" });
      await quotaIsFine(kit);
    },
  },
  {
    name: "odd-quota-unknown-scope",
    run: async (kit) => {
      await createSpoiltQuota(kit, (spec) => spec.scopes = ["Sideways"]);
      await kit.until(RESOURCEQUOTAS, "a", "was looked at", ({ metadata }) => metadata?.uid);
      await quotaIsFine(kit);
    },
  },
  {
    name: "odd-quota-selects-nothing",
    run: async (kit) => {
      const scopeSelector = {
        matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["nobody"] }],
      };
      await kit.create(PODS, pod("x"));
      await limit(kit, { hard: { pods: "5" }, scopeSelector });
      await untilCounted(kit, { pods: "0" });
      await quotaIsFine(kit);
    },
  },
  {
    name: "odd-quota-of-unreadable-scope",
    run: async (kit) => {
      const matchExpressions = [{ scopeName: "PriorityClass", operator: "Like", values: ["nobody"] }];
      await createSpoiltQuota(kit, (spec) => spec.scopeSelector = { matchExpressions });
      await kit.create(PODS, pod("x")).catch(() => {}); // admission may stumble over it, too
      await quotaIsFine(kit);
    },
  },
];

/** Needs {@link WIDGET_DEFINITION}. */
export const SENSELESS_AUTOSCALING_SCENARIOS: readonly AutoscalingScenario[] = AUTOSCALERS;
export const SENSELESS_POLICY_SCENARIOS: readonly Scenario[] = [...BUDGETS, ...QUOTAS];
/** Takes as long as pods of lost nodes are left alone. */
export const SENSELESS_POD_GC_SCENARIOS: readonly Scenario[] = LOST;
