/**
 * What becomes of autoscalers, pods that are to be ready for a while, rollouts, budgets, pods of lost nodes and quotas when the
 * wall clock of the whole cluster is set forward or back, on the embedded API server. What a controller remembers by itself goes
 * by the monotonic clock, what objects say by the wall clock, as in upstream.
 */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, NODES, PODS } from "kubeloop/api";
import {
  DAEMONSETS,
  findCondition,
  type MetricSpec,
  PODDISRUPTIONBUDGETS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { autoscale, average, cpu, rollOut, says } from "../scenarios/autoscaling_kit.ts";
import { daemonSet } from "../scenarios/daemon_kit.ts";
import { budgetSays, createBudget, createPodsOf } from "../scenarios/disruption_kit.ts";
import { deployment, type Kit, orphanPod, podTemplate } from "../scenarios/kit.ts";
import { limit, pod, untilUsed } from "../scenarios/quota_kit.ts";
import { statefulSet } from "../scenarios/set_kit.ts";
import { clockTest, DAY_MS, HOUR_MS, MINUTE_MS } from "./clock_stage.ts";

const DEPLOYING = "deployment-controller,replicaset-controller";
const AUTOSCALING = { controllers: `${DEPLOYING},horizontal-pod-autoscaler-controller` };
const JUMPS: readonly (readonly [way: string, ms: number])[] = [["forward", DAY_MS], ["back", -DAY_MS]];

/** The memory that each pod is to use; no pod is too new for that. */
const memory = (amount: string): MetricSpec => ({
  type: "Resource",
  resource: { name: "memory", target: average(amount) },
});

for (const [way, jumpMs] of JUMPS) {
  clockTest(`A clock set ${way} neither shortens nor lengthens an autoscaler's window`, AUTOSCALING, async (stage) => {
    const { cluster, kit, jump } = stage;
    const use = (amount: string) =>
      cluster.metrics.setPodUsage({ namespace: kit.namespace, usage: { memory: amount } });
    use("50Mi");
    await rollOut(kit, 4);
    await autoscale(kit, [memory("50Mi")]);
    await cluster.advance(6 * MINUTE_MS);
    use("10Mi");
    await says(kit, "True ScaleDownStabilized, True ValidMetricFound, False DesiredWithinRange");
    jump(jumpMs);
    await cluster.advance(4 * MINUTE_MS);
    assertEquals((await kit.get(DEPLOYMENTS, "a")).spec?.replicas, 4);
    await cluster.advance(90_000);
    assertEquals((await kit.get(DEPLOYMENTS, "a")).spec?.replicas, 2);
  });

  clockTest(`A clock set ${way} leaves an autoscaler's policies their periods`, AUTOSCALING, async (stage) => {
    const { cluster, kit, jump } = stage;
    cluster.metrics.setPodUsage({ namespace: kit.namespace, usage: { memory: "100Mi" } });
    await rollOut(kit, 2);
    const scaleUp = { policies: [{ type: "Pods", value: 1, periodSeconds: 600 }] };
    await autoscale(kit, [memory("10Mi")], { maxReplicas: 30, behavior: { scaleUp } });
    await kit.until(DEPLOYMENTS, "a", "has grown", ({ spec }) => spec?.replicas === 3);
    jump(jumpMs);
    await cluster.advance(9 * MINUTE_MS);
    assertEquals((await kit.get(DEPLOYMENTS, "a")).spec?.replicas, 3);
    await cluster.advance(90_000);
    assertEquals((await kit.get(DEPLOYMENTS, "a")).spec?.replicas, 4);
  });
}

clockTest(
  "A clock set back makes pods new again, whose processors' use says nothing yet",
  AUTOSCALING,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    cluster.metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "100m" } });
    await rollOut(kit, 2);
    await cluster.advance(6 * MINUTE_MS);
    jump(-10 * MINUTE_MS);
    await autoscale(kit, [cpu(50)], { maxReplicas: 3 });
    await says(kit, "True SucceededGetScale, False FailedGetResourceMetric, -");
    await cluster.advance(3 * MINUTE_MS);
    assertEquals((await kit.get(DEPLOYMENTS, "a")).spec?.replicas, 2, "they become ready in a minute");
    await cluster.advance(3 * MINUTE_MS);
    assertEquals((await kit.get(DEPLOYMENTS, "a")).spec?.replicas, 3);
  },
);

const SETS = {
  controllers: `${DEPLOYING},replicationcontroller-controller,statefulset-controller,daemonset-controller`,
};

/** A Deployment, a ReplicationController, a StatefulSet and a DaemonSet of one pod, which is to be ready for ten minutes. */
async function createSets(kit: Kit): Promise<void> {
  const minReadySeconds = 600;
  await kit.create(DEPLOYMENTS, deployment("a", { replicas: 1, minReadySeconds, progressDeadlineSeconds: 36_000 }));
  await kit.create(REPLICATIONCONTROLLERS, {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "b" },
    spec: { replicas: 1, minReadySeconds, selector: { app: "b" }, template: podTemplate("b") },
  });
  await kit.create(STATEFULSETS, statefulSet("c", { replicas: 1, minReadySeconds }));
  await kit.create(DAEMONSETS, daemonSet("d", { minReadySeconds }));
  await kit.until(DAEMONSETS, "d", "has its pod", ({ status }) => status?.numberReady === 1);
  await kit.until(STATEFULSETS, "c", "has its pod", ({ status }) => status?.readyReplicas === 1);
  await kit.until(REPLICATIONCONTROLLERS, "b", "has its pod", ({ status }) => status?.readyReplicas === 1);
  await kit.until(DEPLOYMENTS, "a", "has its pod", ({ status }) => status?.readyReplicas === 1);
}

/** How many pods are available of the Deployment, the ReplicationController, the StatefulSet and the DaemonSet. */
async function available(kit: Kit): Promise<number[]> {
  const counts = [
    (await kit.get(DEPLOYMENTS, "a")).status?.availableReplicas,
    (await kit.get(REPLICATIONCONTROLLERS, "b")).status?.availableReplicas,
    (await kit.get(STATEFULSETS, "c")).status?.availableReplicas,
    (await kit.get(DAEMONSETS, "d")).status?.numberAvailable,
  ];
  return counts.map((count) => count ?? 0);
}

clockTest(
  "Pods are available later when the clock is set back, and are looked at again until then",
  SETS,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    await createSets(kit);
    jump(-5 * MINUTE_MS);
    await cluster.advance(14 * MINUTE_MS);
    assertEquals(await available(kit), [0, 0, 0, 0]);
    await cluster.advance(2 * MINUTE_MS);
    assertEquals(await available(kit), [1, 1, 1, 0], "a DaemonSet is looked at every ten minutes");
    await cluster.advance(6 * MINUTE_MS);
    assertEquals(await available(kit), [1, 1, 1, 1]);
  },
);

clockTest("Pods are available when next they are looked at after the clock was set forward", SETS, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createSets(kit);
  jump(HOUR_MS);
  const seen = { metadata: { labels: { seen: "yes" } } };
  await kit.merge(DEPLOYMENTS, "a", seen);
  await kit.merge(REPLICATIONCONTROLLERS, "b", seen);
  await kit.merge(STATEFULSETS, "c", seen);
  await kit.merge(DAEMONSETS, "d", seen);
  await cluster.advance(MINUTE_MS);
  assertEquals((await available(kit)).slice(1), [1, 1, 1], "the Deployment's ReplicaSet was not touched");
  await cluster.advance(10 * MINUTE_MS);
  assertEquals(await available(kit), [1, 1, 1, 1]);
});

const ROLLOUT = { controllers: DEPLOYING, nodes: 0 };
const progressOf = async (kit: Kit) =>
  findCondition((await kit.get(DEPLOYMENTS, "a")).status?.conditions, "Progressing")?.reason;

clockTest("A rollout's progress deadline counts by the wall clock", ROLLOUT, async (stage) => {
  const { cluster, kit, jump } = stage;
  await kit.create(DEPLOYMENTS, deployment("a", { replicas: 1, progressDeadlineSeconds: 600 }));
  await cluster.advance(MINUTE_MS);
  jump(-5 * MINUTE_MS);
  await cluster.advance(13 * MINUTE_MS);
  assertEquals(await progressOf(kit), "ReplicaSetUpdated", "nine minutes have passed by the wall clock");
  await cluster.advance(2 * MINUTE_MS);
  assertEquals(await progressOf(kit), "ProgressDeadlineExceeded");
});

clockTest(
  "A clock set forward over a rollout's progress deadline ends it when next it is looked at",
  ROLLOUT,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    await kit.create(DEPLOYMENTS, deployment("a", { replicas: 1, progressDeadlineSeconds: 600 }));
    await cluster.advance(MINUTE_MS);
    jump(HOUR_MS);
    await cluster.advance(MINUTE_MS);
    assertEquals(await progressOf(kit), "ReplicaSetUpdated", "nobody has looked");
    await cluster.advance(10 * MINUTE_MS);
    assertEquals(await progressOf(kit), "ProgressDeadlineExceeded");
  },
);

const BUDGETS = { controllers: "disruption-controller" };

clockTest(
  "An eviction that does not come about is forgotten two minutes later by the wall clock",
  BUDGETS,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    const disrupted = async () => (await kit.get(PODDISRUPTIONBUDGETS, "b")).status?.disruptedPods;
    const evictLater = async () => {
      const now = new Date(cluster.world.clock.wallMs()).toISOString().slice(0, 19) + "Z";
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { status: { disruptedPods: { p: now } } }, "status");
    };
    await createPodsOf(kit, ["p", "q"]);
    await createBudget(kit, { minAvailable: 1 });
    await budgetSays(kit, [1, 2, 1, 2]);
    await evictLater();
    jump(-10 * MINUTE_MS);
    await cluster.advance(11 * MINUTE_MS);
    assertEquals(Object.keys(await disrupted() ?? {}), ["p"]);
    assertEquals((await kit.get(PODDISRUPTIONBUDGETS, "b")).status?.disruptionsAllowed, 0);
    await cluster.advance(2 * MINUTE_MS);
    await budgetSays(kit, [1, 2, 1, 2]);
    await evictLater();
    await cluster.advance(1_000);
    jump(HOUR_MS);
    await kit.merge(PODDISRUPTIONBUDGETS, "b", { metadata: { labels: { seen: "yes" } } });
    await cluster.advance(1_000);
    await budgetSays(kit, [1, 2, 1, 2]);
  },
);

const LOST = { controllers: "pod-garbage-collector-controller", nodes: 0 };

for (const [way, jumpMs] of JUMPS) {
  clockTest(`A clock set ${way} leaves pods of a node that is gone their time`, LOST, async (stage) => {
    const { cluster, kit, jump } = stage;
    await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    const { spec, ...rest } = orphanPod("p", "a");
    await kit.create(PODS, { ...rest, spec: { ...spec!, nodeName: "n" } });
    await cluster.advance(MINUTE_MS);
    await kit.delete(NODES, "n");
    await cluster.advance(20_000);
    jump(jumpMs);
    await cluster.advance(15_000);
    assertEquals((await kit.list(PODS)).length, 1, "35 s after its node went");
    await cluster.advance(70_000);
    assertEquals((await kit.list(PODS)).length, 0);
  });
}

const QUOTAS = { controllers: "resourcequota-controller", nodes: 0 };

clockTest(
  "A pod that should long have ended counts by the wall clock, at the next full measure",
  QUOTAS,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    await limit(kit, { hard: { pods: "5", "count/pods": "5" } });
    const { metadata, ...rest } = pod("p");
    const held = { ...rest, metadata: { ...metadata, finalizers: ["example.com/hold"] } };
    await kit.create(PODS, { ...held, spec: { ...held.spec!, nodeName: "n", terminationGracePeriodSeconds: 3600 } });
    await untilUsed(kit, { pods: "1", "count/pods": "1" });
    await kit.delete(PODS, "p");
    await cluster.advance(6 * MINUTE_MS);
    await untilUsed(kit, { pods: "1", "count/pods": "1" });
    jump(DAY_MS);
    await cluster.advance(6 * MINUTE_MS);
    await untilUsed(kit, { pods: "0", "count/pods": "1" });
    jump(-DAY_MS);
    await cluster.advance(6 * MINUTE_MS);
    await untilUsed(kit, { pods: "1", "count/pods": "1" });
  },
);
