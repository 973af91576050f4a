/** What is done to each workload controller while its process is killed: together they make every kind of write. */
import {
  CONFIGMAPS,
  CONTROLLERREVISIONS,
  CRONJOBS,
  DAEMONSETS,
  DEPLOYMENTS,
  findCondition,
  HORIZONTALPODAUTOSCALERS,
  JOBS,
  newControllerRef,
  NODES,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICASETS,
  REPLICATIONCONTROLLERS,
  type Resource,
  RESOURCEQUOTAS,
  SERVICES,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import type { MetricsApi } from "../../src/sandbox/mod.ts";
import { autoscale, cpu, rollOut, settles } from "./autoscaling_kit.ts";
import { cronJob, LONG_AGO } from "./cronjob_scenarios.ts";
import { daemonSet, daemonsRolledOut, rolling, setDaemonImage } from "./daemon_kit.ts";
import { budgetSays, createBudget, evictOne, patchPodStatus } from "./disruption_kit.ts";
import { FOREVER, isTrue, job, podsSettled } from "./job_kit.ts";
import { deployment, type Kit, orphanPod, replicaSet } from "./kit.ts";
import { createPod, failed } from "./pod_gc_scenarios.ts";
import { limit, pod, removePod, service, untilCounted, untilUsed } from "./quota_kit.ts";
import { replicationController, settled } from "./replication_scenarios.ts";
import { bindClaims, DATA, revisionsAre, setImageOf, setRolledOut, statefulSet } from "./set_kit.ts";

/** The life of some objects, which ends in one and the same way on any server, however often their controllers are killed. */
export interface CrashScenario {
  readonly name: string;
  /** The controllers at work in it, as `--controllers` names them. */
  readonly controllers: readonly string[];
  /** What they write, besides pods and Deployments. */
  readonly resources: readonly Resource[];
  run(kit: Kit, metrics: MetricsApi): Promise<void>;
  /** Events that a manager may tell because it has been killed, each with the reason why. */
  readonly mayTell?: ReadonlyMap<RegExp, string>;
  /** Events that nobody may tell because the one who would have has been killed, each with the reason why. */
  readonly mayMiss?: ReadonlyMap<RegExp, string>;
}

const GC = "garbage-collector-controller";
const PODS_OF_DEPLOYMENTS = ["deployment-controller", "replicaset-controller"];

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

export const SET_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "deployment",
    controllers: PODS_OF_DEPLOYMENTS,
    resources: [],
    run: async (kit) => {
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2, revisionHistoryLimit: 0 }));
      await kit.rolledOut("a");
      const template = { spec: { containers: [{ name: "c", image: "nginx:2" }] } };
      await kit.merge(DEPLOYMENTS, "a", { spec: { template } });
      await kit.rolledOut("a");
      await kit.merge(DEPLOYMENTS, "a", { spec: { replicas: 1 } });
      await kit.rolledOut("a");
    },
  },
  {
    name: "replication",
    controllers: ["replicationcontroller-controller"],
    resources: [REPLICATIONCONTROLLERS],
    run: async (kit) => {
      await kit.create(PODS, orphanPod("orphan", "a"));
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await settled(kit);
      await kit.merge(PODS, "orphan", { metadata: { labels: { app: "b" } } });
      await kit.until(PODS, "orphan", "is released", ({ metadata }) => !metadata?.ownerReferences?.length);
      for (const replicas of [5, 1]) {
        await kit.merge(REPLICATIONCONTROLLERS, "a", { spec: { replicas } });
        await settled(kit);
      }
    },
  },
  {
    name: "stateful",
    controllers: ["statefulset-controller", GC],
    resources: [STATEFULSETS, CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS],
    run: async (kit) => {
      const persistentVolumeClaimRetentionPolicy = { whenScaled: "Delete", whenDeleted: "Delete" };
      const spec = { volumeClaimTemplates: [DATA], revisionHistoryLimit: 0, persistentVolumeClaimRetentionPolicy };
      await kit.create(STATEFULSETS, statefulSet("a", spec));
      await bindClaims(kit, 3);
      await setRolledOut(kit, "a");
      await setImageOf(kit, "a", "nginx:2");
      await setRolledOut(kit, "a");
      await kit.merge(STATEFULSETS, "a", { spec: { replicas: 1 } });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "is one", (claims) => claims.length === 1);
      await setRolledOut(kit, "a");
      await revisionsAre(kit, 1);
    },
    mayTell: new Map([
      [/ SuccessfulUpdate /, "as upstream, claims whose pod was made get their owners by an update"],
      [
        / FailedUpdate .*claim .*object has been modified/,
        "which meets another who binds the claim, and is tried again",
      ],
      [
        / FailedBinding .*no persistent volumes available/,
        "unless the scenario has bound the claim before it is looked at",
      ],
    ]),
  },
  {
    name: "parallel",
    controllers: ["statefulset-controller"],
    resources: [STATEFULSETS, CONTROLLERREVISIONS],
    run: async (kit) => {
      await kit.create(STATEFULSETS, statefulSet("a", { podManagementPolicy: "Parallel" }));
      await setRolledOut(kit, "a");
      await setImageOf(kit, "a", "nginx:2");
      await setRolledOut(kit, "a");
      await kit.merge(STATEFULSETS, "a", { spec: { replicas: 1 } });
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "daemons",
    controllers: ["daemonset-controller"],
    resources: [DAEMONSETS, CONTROLLERREVISIONS],
    run: async (kit) => {
      await kit.create(DAEMONSETS, daemonSet("a", { updateStrategy: rolling(0, 1), revisionHistoryLimit: 1 }));
      await daemonsRolledOut(kit, 3);
      await setDaemonImage(kit, "nginx:2");
      await daemonsRolledOut(kit, 3);
      await kit.merge(DAEMONSETS, "a", { spec: { updateStrategy: rolling(1) } });
      await setDaemonImage(kit, "nginx:3");
      await daemonsRolledOut(kit, 3);
      await revisionsAre(kit, 2);
    },
  },
];

/** A Job made by hand for the CronJob `a`, that counts as one of its active ones. */
async function active(kit: Kit, name: string, script: Parameters<typeof job>[2]): Promise<void> {
  const owner = await kit.get(CRONJOBS, "a");
  const byHand = job(name, {}, script);
  const ownerReferences = [newControllerRef(owner, CRONJOBS)];
  const made = await kit.create(JOBS, { ...byHand, metadata: { ...byHand.metadata, ownerReferences } });
  const reference = { apiVersion: "batch/v1", kind: "Job", namespace: kit.namespace, name, uid: made.metadata?.uid };
  await kit.merge(CRONJOBS, "a", { status: { active: [reference], lastScheduleTime: LONG_AGO } }, "status");
}

/** As upstream, what a CronJob tells before it writes it down is told by the next manager, too. */
const TOLD_AGAIN = new Map([
  [/ UnexpectedJob /, "a Job that was made is not yet on the list of active ones"],
  [/ SawCompletedJob /, "a Job that has ended is still on that list"],
  [/ MissingJob /, "so is one that was replaced"],
]);

/** Waits until all three pods of a Job run, and has one end. */
async function endIndex(kit: Kit, name: string, index: number): Promise<void> {
  await kit.until(JOBS, name, "has three pods", ({ status }) => status?.ready === 3);
  const pods = await kit.list(PODS, `batch.kubernetes.io/job-name=${name}`);
  const isMeant = ({ metadata }: Pod) =>
    metadata?.labels?.["batch.kubernetes.io/job-completion-index"] === String(index);
  const annotations = { "kubeloop.dev/run-for": "0s" };
  await kit.merge(PODS, pods.find(isMeant)!.metadata!.name!, { metadata: { annotations } });
}

export const RUN_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "indexed",
    controllers: ["job-controller"],
    resources: [JOBS],
    run: async (kit) => {
      await kit.create(
        JOBS,
        job("a", { completionMode: "Indexed", completions: 4, parallelism: 2 }, { "exit-code": "0,@2=1,0" }),
      );
      const successPolicy = { rules: [{ succeededIndexes: "0" }] };
      await kit.create(JOBS, job("b", { completionMode: "Indexed", completions: 3, parallelism: 1, successPolicy }));
      await kit.until(JOBS, "a", "is complete", isTrue("Complete"));
      await kit.until(JOBS, "b", "is complete", isTrue("Complete"));
      await podsSettled(kit);
    },
  },
  {
    name: "failing",
    controllers: ["job-controller"],
    resources: [JOBS],
    run: async (kit) => {
      const perIndex = { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 1 };
      await kit.create(JOBS, job("a", perIndex, { "exit-code": "0,@1=1" }));
      await kit.create(
        JOBS,
        job("b", { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 0 }, {
          ...FOREVER,
          "exit-code": "@2=1",
        }),
      );
      await endIndex(kit, "b", 2);
      await kit.until(JOBS, "a", "has failed", isTrue("Failed"));
      await kit.until(JOBS, "b", "has failed", isTrue("Failed"));
      await kit.create(JOBS, job("c", { completions: 3, parallelism: 2 }, { "run-for": "1s" }));
      await kit.until(JOBS, "c", "is complete", isTrue("Complete"));
      await podsSettled(kit);
    },
  },
  {
    name: "replacing",
    controllers: ["cronjob-controller", "job-controller", GC],
    resources: [JOBS, CRONJOBS],
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({ concurrencyPolicy: "Replace", successfulJobsHistoryLimit: 1 }, FOREVER));
      for (const name of ["first", "second"]) {
        await active(kit, name, { "run-for": "1s" });
        await kit.until(JOBS, name, "is complete", isTrue("Complete"));
        await kit.until(CRONJOBS, "a", "has none active", ({ status }) => !status?.active?.length);
      }
      await kit.untilGone(JOBS, "first");
      await active(kit, "old", FOREVER);
      await kit.until(JOBS, "old", "runs", ({ status }) => status?.ready === 1);
      await kit.merge(CRONJOBS, "a", { spec: { suspend: false } });
      await kit.untilGone(JOBS, "old");
      await kit.until(
        CRONJOBS,
        "a",
        "has one",
        ({ status }) => status?.active?.length === 1 && status.lastScheduleTime !== LONG_AGO,
      );
      const isNew = (name = "") => name.startsWith("a-");
      await kit.untilAll(
        JOBS,
        "the new one runs",
        (jobs) => jobs.some(({ metadata, status }) => isNew(metadata?.name) && status?.ready === 1),
      );
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2);
      await podsSettled(kit);
    },
    mayTell: TOLD_AGAIN,
  },
  {
    name: "ttl",
    controllers: ["ttl-after-finished-controller", "job-controller", GC],
    resources: [JOBS],
    run: async (kit) => {
      await kit.create(JOBS, job("kept", { ttlSecondsAfterFinished: 86_400 }));
      await kit.create(JOBS, job("good", { ttlSecondsAfterFinished: 0 }));
      await kit.create(JOBS, job("bad", { ttlSecondsAfterFinished: 2, backoffLimit: 0 }, { "exit-code": "1" }));
      await kit.untilGone(JOBS, "good");
      await kit.untilGone(JOBS, "bad");
      await kit.until(JOBS, "kept", "is complete", isTrue("Complete"));
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
      await podsSettled(kit);
    },
  },
];

const READY = "True ReadyForNewScale, True ValidMetricFound";

export const POLICY_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "scaled",
    controllers: ["horizontal-pod-autoscaler-controller", ...PODS_OF_DEPLOYMENTS],
    resources: [HORIZONTALPODAUTOSCALERS],
    run: async (kit, metrics) => {
      const use = (amount: string) => metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: amount } });
      use("150m");
      await rollOut(kit, 2);
      await autoscale(kit, [cpu(50)]);
      await settles(kit, 5, `${READY}, True TooManyReplicas`);
      use("10m");
      await settles(kit, 2, `${READY}, True TooFewReplicas`);
    },
    mayTell: new Map([
      [
        /FailedUpdateStatus "Operation cannot be/,
        "a look each second may come before the watch tells what the last one wrote",
      ],
    ]),
  },
  {
    name: "budget",
    controllers: ["disruption-controller", "replicaset-controller"],
    resources: [PODDISRUPTIONBUDGETS],
    run: async (kit) => {
      await kit.create(REPLICASETS, replicaSet("a"));
      await createBudget(kit, { minAvailable: 2 });
      await budgetSays(kit, [1, 3, 2, 3]);
      await kit.untilGone(PODS, await evictOne(kit));
      await kit.settled();
      await budgetSays(kit, [1, 3, 2, 3]);
      await kit.until(REPLICASETS, "a", "has its pods", ({ status }) => status?.availableReplicas === 3);
    },
    mayTell: new Map([[/NoPods/, "the next manager may look at the budget before it has made the pods"]]),
  },
  {
    name: "swept",
    controllers: ["pod-garbage-collector-controller"],
    resources: [],
    run: async (kit) => {
      const broken = `${kit.namespace}-broken`;
      const taints = [{ key: "node.kubernetes.io/out-of-service", value: "x", effect: "NoExecute" }];
      await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: broken }, spec: { taints } });
      // Nobody else is to delete them.
      const tolerations = [{ operator: "Exists" }];
      await createPod(kit, "kept", { nodeName: broken, tolerations });
      const doomed = ["unbound", "bound", "bound-too"];
      for (const name of doomed) {
        await createPod(kit, name, name === "unbound" ? {} : { nodeName: broken, tolerations });
        await kit.delete(PODS, name);
      }
      for (const name of doomed) await failed(kit, name);
    },
  },
  {
    name: "counted",
    controllers: ["resourcequota-controller"],
    resources: [RESOURCEQUOTAS],
    run: async (kit) => {
      await kit.create(CONFIGMAPS, configMap("early"));
      await limit(kit, {
        hard: { pods: "5", "requests.cpu": "2", configmaps: "9", services: "3", "count/services": "4" },
      });
      const used = (pods: number, configmaps: number, services: number) => {
        const counts = { services: `${services}`, "count/services": `${services}` };
        return { pods: `${pods}`, "requests.cpu": `${pods}00m`, configmaps: `${configmaps}`, ...counts };
      };
      const before = (await kit.list(CONFIGMAPS)).length;
      for (const name of ["x", "y"]) {
        await kit.create(PODS, pod(name, { requests: { cpu: "100m" } }));
        await kit.create(SERVICES, service(name));
      }
      await kit.create(CONFIGMAPS, configMap("late"));
      await untilCounted(kit, used(2, before + 1, 2));
      await removePod(kit, "x");
      await untilUsed(kit, used(1, before + 1, 2));
      await kit.delete(CONFIGMAPS, "early");
      await untilUsed(kit, used(1, before, 2));
      await kit.delete(SERVICES, "y");
      await untilUsed(kit, used(1, before, 1));
      await kit.merge(RESOURCEQUOTAS, "a", { spec: { hard: { configmaps: null } } });
      await kit.until(RESOURCEQUOTAS, "a", "limits less", ({ status }) => status?.hard && !status.hard.configmaps);
    },
  },
];

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  ...SET_CRASH_SCENARIOS,
  ...RUN_CRASH_SCENARIOS,
  ...POLICY_CRASH_SCENARIOS,
];

const MINUTE_MS = 60_000;

/** Those that take minutes: for clusters whose clock can be moved. */
export const SLOW_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "minutely",
    controllers: ["cronjob-controller", "job-controller", GC],
    resources: [JOBS, CRONJOBS],
    run: async (kit) => {
      const spec = { schedule: "* * * * *", suspend: false, successfulJobsHistoryLimit: 1 };
      const { metadata } = await kit.create(CRONJOBS, cronJob(spec, { "run-for": "1s" }));
      const lastMs = (Math.floor(Date.parse(metadata!.creationTimestamp!) / MINUTE_MS) + 3) * MINUTE_MS;
      await kit.until(
        CRONJOBS,
        "a",
        "has run three times",
        ({ status }) => Date.parse(status?.lastScheduleTime ?? "") === lastMs,
      );
      await kit.merge(CRONJOBS, "a", { spec: { suspend: true } });
      await kit.until(CRONJOBS, "a", "has none active", ({ status }) => !status?.active?.length);
      await kit.untilAll(JOBS, "is one", (jobs) => jobs.length === 1);
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
      await podsSettled(kit);
    },
    mayTell: TOLD_AGAIN,
  },
  {
    name: "lost-node",
    controllers: ["pod-garbage-collector-controller"],
    resources: [],
    run: async (kit) => {
      for (const name of ["p", "q", "ended"]) {
        await createPod(kit, name, { nodeName: "never-was", held: name !== "ended" });
      }
      await patchPodStatus(kit, "ended", { phase: "Succeeded" });
      await kit.untilGone(PODS, "ended");
      for (const name of ["p", "q"]) await failed(kit, name);
    },
  },
  {
    name: "stale",
    controllers: ["disruption-controller"],
    resources: [],
    run: async (kit) => {
      const lastTransitionTime = "2020-01-01T00:00:00Z";
      const condition = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message: "m" };
      for (const name of ["p", "q"]) {
        await createPod(kit, name, { held: false });
        await patchPodStatus(kit, name, { conditions: [{ ...condition, lastTransitionTime }] });
      }
      const isOver = (pod: Pod) => findCondition(pod.status?.conditions, "DisruptionTarget")?.status === "False";
      await kit.untilAll(PODS, "are not to end any more", (pods) => pods.every(isOver));
    },
  },
];
