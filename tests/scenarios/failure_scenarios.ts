/** What goes wrong around workloads: owners in conflict, objects that are made again, pods that are refused or evicted. */
import {
  CRONJOBS,
  DAEMONSETS,
  DEPLOYMENTS,
  HORIZONTALPODAUTOSCALERS,
  JOBS,
  NAMESPACES,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICATIONCONTROLLERS,
  RESOURCEQUOTAS,
  SERVICEACCOUNTS,
} from "../../src/api/mod.ts";
import { autoscale, type AutoscalingScenario, cpu, rollOut as rollOutTarget, settles } from "./autoscaling_kit.ts";
import { cronJob, ended as cronEnded, letGo, LONG_AGO, told } from "./cronjob_scenarios.ts";
import { daemonSet, daemonsRolledOut } from "./daemon_kit.ts";
import { budgetSays, createBudget, evictOne } from "./disruption_kit.ts";
import { ended, FOREVER, job, runJob, running } from "./job_kit.ts";
import { deployment, type Kit } from "./kit.ts";
import { replicationController, settled } from "./replication_scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { evict } from "./set_kit.ts";

async function namespaceGoes(kit: Kit): Promise<void> {
  await kit.client.delete(NAMESPACES, { name: kit.namespace });
  await kit.untilGone(NAMESPACES, kit.namespace);
}

const noneLeft = (kit: Kit) => kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);

export const JOB_FAILURES: readonly Scenario[] = [
  {
    name: "job-no-account",
    run: async (kit) => {
      const { template } = job("a").spec!;
      const spec = { ...template.spec!, serviceAccountName: "missing" };
      await kit.create(JOBS, job("a", { template: { ...template, spec } }));
      await told(kit, "FailedCreate", 'serviceaccount "missing" not found');
      await kit.until(JOBS, "a", "has started", ({ status }) => status?.startTime);
      await kit.create(SERVICEACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "missing" } });
      await ended(kit, "Complete");
    },
  },
  {
    name: "job-overlapping",
    run: async (kit) => {
      const own = { manualSelector: true, selector: { matchLabels: { app: "a" } }, parallelism: 2 };
      await kit.create(JOBS, job("a", own, FOREVER));
      await running(kit, 2);
      const { template } = job("a", {}, FOREVER).spec!;
      await kit.create(JOBS, job("b", { ...own, template }));
      await kit.until(JOBS, "b", "has pods of its own", ({ status }) => status?.ready === 2);
      await running(kit, 2);
    },
  },
  {
    name: "job-recreated",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.delete(JOBS, "a", "Background");
      await noneLeft(kit);
      await runJob(kit, "Complete", { completions: 2 });
    },
  },
  {
    name: "job-pod-evicted",
    run: async (kit) => {
      const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }];
      await kit.create(JOBS, job("a", { backoffLimit: 0, podFailurePolicy: { rules } }, FOREVER));
      await running(kit, 1);
      const name = await evictOne(kit);
      await kit.untilAll(PODS, "is another", ([pod]) => pod && pod.metadata?.name !== name);
      await running(kit, 1);
    },
  },
];

export const CRONJOB_FAILURES: readonly Scenario[] = [
  {
    name: "cron-refused-by-quota",
    run: async (kit) => {
      const hard = { "count/jobs.batch": "0" };
      const metadata = { name: "none" };
      await kit.create(RESOURCEQUOTAS, { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard } });
      await kit.merge(RESOURCEQUOTAS, "none", { status: { hard, used: { "count/jobs.batch": "0" } } }, "status");
      await letGo(kit);
      await told(kit, "FailedCreate", "exceeded quota");
      await kit.merge(CRONJOBS, "a", { spec: { suspend: true } });
    },
  },
  {
    name: "cron-name-taken",
    run: async (kit) => {
      // The last time of its schedule, where the manager runs: midnight of New Year.
      const { metadata } = await kit.client.get(NAMESPACES, { name: kit.namespace });
      const slotMs = new Date(new Date(metadata!.creationTimestamp!).getUTCFullYear(), 0, 1).getTime();
      await kit.create(JOBS, job(`a-${slotMs / 60_000}`, { suspend: true }));
      await letGo(kit);
      // It has had its turn once one that came later has.
      await kit.create(CRONJOBS, { ...cronJob({}, {}), metadata: { name: "b" } });
      await kit.merge(CRONJOBS, "b", { status: { lastScheduleTime: LONG_AGO } }, "status");
      await kit.merge(CRONJOBS, "b", { spec: { suspend: false } });
      await kit.until(CRONJOBS, "b", "has run", ({ status }) => status?.lastSuccessfulTime && !status.active?.length);
    },
  },
  {
    name: "cron-recreated",
    run: async (kit) => {
      await letGo(kit, { script: FOREVER });
      await kit.untilAll(JOBS, "one runs", ([made]) => made?.status?.ready === 1);
      await kit.delete(CRONJOBS, "a", "Background");
      await kit.untilAll(JOBS, "are gone", (jobs) => jobs.length === 0);
      await noneLeft(kit);
      await letGo(kit);
      await cronEnded(kit, "Complete");
    },
  },
  {
    name: "cron-namespace-deleted",
    run: async (kit) => {
      await letGo(kit, { script: FOREVER });
      await kit.untilAll(JOBS, "one runs", ([made]) => made?.status?.ready === 1);
      await namespaceGoes(kit);
    },
  },
];

export const REPLICATION_FAILURES: readonly Scenario[] = [
  {
    name: "rc-overlapping",
    run: async (kit) => {
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await settled(kit);
      const { spec } = replicationController("a", { replicas: 1 });
      await kit.create(REPLICATIONCONTROLLERS, { ...replicationController("b"), spec });
      await kit.until(REPLICATIONCONTROLLERS, "b", "has its pod", ({ status }) => status?.availableReplicas === 1);
      await settled(kit);
    },
  },
  {
    name: "rc-recreated",
    run: async (kit) => {
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await settled(kit);
      await kit.delete(REPLICATIONCONTROLLERS, "a", "Orphan");
      await kit.untilGone(REPLICATIONCONTROLLERS, "a");
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 3 }));
      await settled(kit);
    },
  },
  {
    name: "rc-pod-evicted",
    run: async (kit) => {
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await settled(kit);
      const name = await evictOne(kit);
      await kit.untilGone(PODS, name);
      await settled(kit);
    },
  },
];

export const DAEMON_FAILURES: readonly Scenario[] = [
  {
    name: "ds-pod-evicted",
    run: async (kit) => {
      await kit.create(DAEMONSETS, daemonSet("a"));
      await daemonsRolledOut(kit, 3);
      const [{ metadata }] = await kit.list(PODS);
      await evict(kit, metadata!.name!);
      await kit.untilGone(PODS, metadata!.name!);
      await daemonsRolledOut(kit, 3);
    },
  },
];

export const AUTOSCALING_FAILURES: readonly AutoscalingScenario[] = [
  {
    name: "hpa-recreated",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "54m" } });
      await rollOutTarget(kit, 3);
      for (let time = 0; time < 2; time++) {
        await autoscale(kit, [cpu(50)]);
        await settles(kit, 3, "True ReadyForNewScale, True ValidMetricFound, False DesiredWithinRange");
        if (time === 0) await kit.delete(HORIZONTALPODAUTOSCALERS, "h");
      }
    },
  },
  {
    name: "hpa-target-recreated",
    eventsDiffer: "what is warned of depends on when it looks: the target is gone, has no pods, or none that are ready",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "150m" } });
      await rollOutTarget(kit, 2);
      await autoscale(kit, [cpu(50)]);
      const settled = "True ReadyForNewScale, True ValidMetricFound, True TooManyReplicas";
      await settles(kit, 5, settled);
      await kit.delete(DEPLOYMENTS, "a", "Foreground");
      await kit.untilGone(DEPLOYMENTS, "a");
      await rollOutTarget(kit, 2);
      await settles(kit, 5, settled);
    },
  },
];

export const BUDGET_FAILURES: readonly Scenario[] = [
  {
    name: "pdb-recreated",
    run: async (kit) => {
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 3 }));
      await kit.rolledOut("a");
      await createBudget(kit, { minAvailable: 1 });
      await budgetSays(kit, [2, 3, 1, 3]);
      await kit.delete(PODDISRUPTIONBUDGETS, "b");
      await kit.untilGone(PODDISRUPTIONBUDGETS, "b");
      await createBudget(kit, { maxUnavailable: 0 });
      await budgetSays(kit, [0, 3, 3, 3]);
    },
  },
  {
    name: "pdb-namespace-deleted",
    run: async (kit) => {
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2 }));
      await kit.rolledOut("a");
      await createBudget(kit, { minAvailable: 2 });
      await budgetSays(kit, [0, 2, 2, 2]);
      await namespaceGoes(kit);
    },
  },
];
