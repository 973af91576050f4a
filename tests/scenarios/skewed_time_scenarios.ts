/**
 * Objects whose times are ahead of the clock, as after it was set back, or far behind, as after it was set forward: what comes of
 * them. Nobody's clock can be moved on a real server, but what is compared with it can.
 */
import {
  CRONJOBS,
  DAEMONSETS,
  DEPLOYMENTS,
  findCondition,
  HORIZONTALPODAUTOSCALERS,
  type Job,
  JOBS,
  type Pod,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { autoscale, type AutoscalingScenario, cpu, rollOut, says } from "./autoscaling_kit.ts";
import { cronJob, LONG_AGO } from "./cronjob_scenarios.ts";
import { daemonSet } from "./daemon_kit.ts";
import { budgetSays, createBudget, createPodsOf, patchPodStatus } from "./disruption_kit.ts";
import { FOREVER, isTrue, job, podsSettled, running } from "./job_kit.ts";
import { deployment, type Kit } from "./kit.ts";
import { replicationController } from "./replication_scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { told } from "./senseless_kit.ts";
import { statefulSet } from "./set_kit.ts";

/** Ahead of every clock. */
const LATER = "2120-01-01T00:00:00Z";

/** The CronJobs that did run at last run their schedule, one that ran in the future does not. */
const CRON: Scenario = {
  name: "skew-cron",
  run: async (kit) => {
    const rows: readonly (readonly [name: string, ranAt: string, schedule: string, deadline?: number])[] = [
      ["ahead", LATER, "0 0 1 1 *"],
      ["ahead-with-deadline", LATER, "0 0 1 1 *", 3600],
      ["behind", LONG_AGO, "0 * * * *"],
      ["behind-with-deadline", LONG_AGO, "0 0 1 1 *", 3600],
    ];
    for (const [name, lastScheduleTime, schedule, startingDeadlineSeconds] of rows) {
      const made = cronJob({ suspend: false, schedule, startingDeadlineSeconds }, {});
      await kit.createUnchecked(CRONJOBS, { ...made, metadata: { name } }, (overdue) => {
        overdue.status = { lastScheduleTime };
      });
    }
    await told(kit, "behind", "TooManyMissedTimes");
    await kit.until(
      CRONJOBS,
      "behind",
      "has run",
      ({ status }) => status?.lastSuccessfulTime && !status.active?.length,
    );
    await podsSettled(kit);
  },
};

/** A Job that has begun at some time, as its status says. */
async function createBegun(kit: Kit, name: string, startTime: string, activeDeadlineSeconds: number): Promise<void> {
  await kit.createUnchecked(JOBS, job(name, { activeDeadlineSeconds }, FOREVER), (made) => {
    made.status = { startTime };
  });
}

/** A Job that has ended at some time, as its status says. */
async function createEnded(kit: Kit, name: string, lastTransitionTime: string): Promise<void> {
  await kit.createUnchecked(JOBS, job(name, { ttlSecondsAfterFinished: 1 }), (made: Job) => {
    made.status = {
      succeeded: 1,
      startTime: lastTransitionTime,
      completionTime: lastTransitionTime,
      conditions: [{ type: "Complete", status: "True", lastTransitionTime }],
    };
  });
}

const JOBS_OF_OTHER_TIMES: readonly Scenario[] = [
  {
    name: "skew-job-deadline",
    run: async (kit) => {
      await createBegun(kit, "ahead", LATER, 1);
      await createBegun(kit, "behind", LONG_AGO, 86_400);
      await kit.until(JOBS, "ahead", "runs", ({ status }) => status?.ready === 1);
      await kit.until(JOBS, "behind", "has failed", isTrue("Failed"));
      await podsSettled(kit);
    },
  },
  {
    name: "skew-job-backoff",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { backoffLimit: 3 }, FOREVER));
      await running(kit, 1);
      const [{ metadata }] = await kit.list(PODS);
      const terminated = { exitCode: 1, reason: "Error", startedAt: LATER, finishedAt: LATER };
      const failed = {
        name: "c",
        image: "busybox:1",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated },
      };
      await kit.changeUnchecked(PODS, metadata!.name!, (pod) => {
        pod.status = { ...pod.status, phase: "Failed", containerStatuses: [failed] };
      });
      await kit.until(JOBS, "a", "has counted it", ({ status }) => status?.failed === 1 && !status.active);
      await podsSettled(kit);
    },
  },
  {
    name: "skew-ttl",
    run: async (kit) => {
      await createEnded(kit, "ahead", LATER);
      await createEnded(kit, "behind", LONG_AGO);
      await kit.untilGone(JOBS, "behind");
    },
  },
];

/** Has all pods say that they have been ready since `since`. */
async function readySince(kit: Kit, since: string): Promise<void> {
  for (const { metadata } of await kit.list(PODS)) {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: since }];
    await patchPodStatus(kit, metadata!.name!, { conditions });
  }
}

const SETS: Scenario = {
  name: "skew-min-ready-seconds",
  run: async (kit) => {
    const minReadySeconds = 3600;
    await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 1, minReadySeconds }));
    await kit.create(STATEFULSETS, statefulSet("b", { replicas: 1, minReadySeconds }));
    await kit.create(DAEMONSETS, daemonSet("c", { minReadySeconds }));
    const isReady = (pod: Pod) => findCondition(pod.status?.conditions, "Ready")?.status === "True";
    await kit.until(
      DAEMONSETS,
      "c",
      "is ready",
      ({ status }) =>
        (status?.desiredNumberScheduled ?? 0) > 0 && status?.numberReady === status?.desiredNumberScheduled,
    );
    await kit.untilAll(PODS, "are ready", (pods) => pods.every(isReady));
    const available = async (wanted: boolean) => {
      const is = (count: number | undefined) => Boolean(count) === wanted;
      await kit.until(REPLICATIONCONTROLLERS, "a", `${wanted}`, ({ status }) => is(status?.availableReplicas));
      await kit.until(STATEFULSETS, "b", `${wanted}`, ({ status }) => is(status?.availableReplicas));
      await kit.until(DAEMONSETS, "c", `${wanted}`, ({ status }) => is(status?.numberAvailable));
    };
    await readySince(kit, LONG_AGO);
    await available(true);
    await readySince(kit, LATER);
    await available(false);
  },
};

const OTHERS: readonly Scenario[] = [
  {
    name: "skew-rollout-deadline",
    run: async (kit) => {
      const template = deployment("a").spec!.template;
      const never = { ...template, spec: { ...template.spec!, nodeSelector: { nobody: "here" } } };
      for (const [name, lastUpdateTime] of [["ahead", LATER], ["behind", LONG_AGO]]) {
        const made = deployment("a", { replicas: 1, template: never });
        await kit.create(DEPLOYMENTS, { ...made, metadata: { name } });
        await kit.until(
          DEPLOYMENTS,
          name,
          "has begun, and nothing more is to be said",
          ({ status }) =>
            status?.unavailableReplicas === 1 &&
            findCondition(status.conditions, "Progressing")?.reason === "ReplicaSetUpdated",
        );
        await kit.changeUnchecked(DEPLOYMENTS, name, ({ status }) => {
          findCondition(status?.conditions, "Progressing")!.lastUpdateTime = lastUpdateTime;
        });
      }
      await kit.until(
        DEPLOYMENTS,
        "behind",
        "is out of time",
        ({ status }) => findCondition(status?.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded",
      );
    },
  },
  {
    name: "skew-pdb-eviction",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q", "r"]);
      await createBudget(kit, { minAvailable: 1 });
      await budgetSays(kit, [2, 3, 1, 3]);
      const disruptedPods = { p: LATER, q: LONG_AGO };
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { status: { disruptedPods } }, "status");
      await kit.until(
        PODDISRUPTIONBUDGETS,
        "b",
        "keeps the one that is ahead",
        ({ status }) => Object.keys(status?.disruptedPods ?? {}).join() === "p" && status?.disruptionsAllowed === 1,
      );
    },
  },
];

const HPA: AutoscalingScenario = {
  name: "skew-hpa",
  run: async (kit, metrics) => {
    metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "100m" } });
    await rollOut(kit, 2);
    for (const { metadata } of await kit.list(PODS)) {
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime: LATER }];
      await patchPodStatus(kit, metadata!.name!, { startTime: LATER, conditions });
    }
    await autoscale(kit, [cpu(50)]);
    await says(kit, "True SucceededGetScale, False FailedGetResourceMetric, -");
    await kit.merge(HORIZONTALPODAUTOSCALERS, "h", { status: { lastScaleTime: LATER } }, "status");
    for (const { metadata } of await kit.list(PODS)) {
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime: LONG_AGO }];
      await patchPodStatus(kit, metadata!.name!, { startTime: LONG_AGO, conditions });
    }
    await kit.until(DEPLOYMENTS, "a", "has been scaled", ({ spec }) => spec?.replicas === 5);
    await kit.rolledOut("a");
    await says(kit, "True ReadyForNewScale, True ValidMetricFound, True TooManyReplicas");
  },
};

export const SKEWED_TIME_SCENARIOS: readonly Scenario[] = [CRON, ...JOBS_OF_OTHER_TIMES, SETS, ...OTHERS];
export const SKEWED_AUTOSCALING_SCENARIOS: readonly AutoscalingScenario[] = [HPA];
