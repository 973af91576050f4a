/** What a user does with PodDisruptionBudgets and what must come of it, on any server and under either manager. */
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  findCondition,
  type Pod,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICASETS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import {
  budgetFails,
  budgetSays,
  createBudget,
  createPodsOf,
  evict,
  evictOne,
  patchPodStatus,
  THINGS,
} from "./disruption_kit.ts";
import { deployment, type Kit, orphanPod, podTemplate, replicaSet } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { setRolledOut, statefulSet } from "./set_kit.ts";

/** Long ago. */
const ONCE = "2020-01-01T00:00:00Z";
/** The order of steps decides how often a budget is looked at before its pods are ready; what it says then is the same. */
const COUNTS_DIFFER = "whether a budget is looked at while it has no pods depends on who is first";

/** A Deployment of three pods that are ready after a while. */
async function rollOutSlowly(kit: Kit, replicas = 3): Promise<void> {
  const template = podTemplate("a");
  const metadata = { ...template.metadata, annotations: { "kubeloop.dev/ready-after": "4s" } };
  await kit.create(DEPLOYMENTS, deployment("a", { replicas, template: { ...template, metadata } }));
  await kit.rolledOut("a");
}

async function rollOut(kit: Kit, replicas: number): Promise<void> {
  await kit.create(DEPLOYMENTS, deployment("a", { replicas }));
  await kit.rolledOut("a");
}

const COUNTING: readonly Scenario[] = [
  {
    name: "pdb-no-pods",
    run: async (kit) => {
      await createBudget(kit, { minAvailable: 3 });
      await budgetSays(kit, [0, 0, 3, 0]);
    },
  },
  {
    name: "pdb-integer",
    run: async (kit) => {
      await rollOut(kit, 4);
      await createBudget(kit, { minAvailable: 3 });
      await budgetSays(kit, [1, 4, 3, 4]);
      await kit.merge(DEPLOYMENTS, "a", { spec: { replicas: 2 } });
      await kit.rolledOut("a");
      await budgetSays(kit, [0, 2, 3, 2]);
    },
  },
  {
    name: "pdb-percent",
    run: async (kit) => {
      await rollOut(kit, 4);
      await createBudget(kit, { minAvailable: "60%" });
      await budgetSays(kit, [1, 4, 3, 4]);
      await kit.merge(DEPLOYMENTS, "a", { spec: { replicas: 6 } });
      await kit.rolledOut("a");
      await budgetSays(kit, [2, 6, 4, 6]);
    },
  },
  {
    name: "pdb-all-and-none",
    run: async (kit) => {
      await rollOut(kit, 2);
      await createBudget(kit, { minAvailable: "100%" });
      await budgetSays(kit, [0, 2, 2, 2]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { minAvailable: "0%" } });
      await budgetSays(kit, [2, 2, 0, 2]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { minAvailable: null, maxUnavailable: 5 } });
      await budgetSays(kit, [2, 2, 0, 2]);
    },
  },
  {
    name: "pdb-changed",
    run: async (kit) => {
      await rollOut(kit, 3);
      await createBudget(kit, { minAvailable: 1 });
      await budgetSays(kit, [2, 3, 1, 3]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { minAvailable: null, maxUnavailable: "30%" } });
      await budgetSays(kit, [1, 3, 2, 3]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { selector: { matchLabels: { app: "other" } } } });
      await budgetSays(kit, [0, 0, 0, 0]);
    },
  },
  {
    name: "pdb-replicaset",
    run: async (kit) => {
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 5 }));
      await kit.until(REPLICASETS, "a", "has its pods", ({ status }) => status?.readyReplicas === 5);
      await createBudget(kit, { maxUnavailable: 2 });
      await budgetSays(kit, [2, 5, 3, 5]);
      await kit.merge(REPLICASETS, "a", { spec: { replicas: 1 } });
      await kit.settled();
      await budgetSays(kit, [1, 1, 0, 1]);
    },
  },
  {
    name: "pdb-statefulset",
    run: async (kit) => {
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 3 }));
      await setRolledOut(kit, "a");
      await createBudget(kit, { maxUnavailable: "50%" });
      await budgetSays(kit, [2, 3, 1, 3]);
    },
  },
  {
    name: "pdb-replicationcontroller",
    run: async (kit) => {
      await kit.create(REPLICATIONCONTROLLERS, {
        apiVersion: "v1",
        kind: "ReplicationController",
        metadata: { name: "a" },
        spec: { replicas: 2, selector: { app: "a" }, template: podTemplate("a") },
      });
      await kit.until(REPLICATIONCONTROLLERS, "a", "has its pods", ({ status }) => status?.readyReplicas === 2);
      await createBudget(kit, { minAvailable: "50%" });
      await budgetSays(kit, [1, 2, 1, 2]);
    },
  },
  {
    name: "pdb-several-owners",
    run: async (kit) => {
      await rollOut(kit, 3);
      const other = { ...replicaSet("a", { replicas: 2 }), metadata: { name: "other" } };
      other.spec!.selector = { matchLabels: { app: "a", other: "yes" } };
      other.spec!.template!.metadata!.labels = { app: "a", other: "yes" };
      await kit.create(REPLICASETS, other);
      await kit.until(REPLICASETS, "other", "has its pods", ({ status }) => status?.readyReplicas === 2);
      await createBudget(kit, { maxUnavailable: 1 });
      await budgetSays(kit, [1, 5, 4, 5]);
    },
  },
  {
    name: "pdb-custom-owner",
    run: async (kit) => {
      const thing = await kit.create(THINGS, {
        apiVersion: "disruption.example.com/v1",
        kind: "Thing",
        metadata: { name: "t" },
        spec: { replicas: 4 },
      });
      await createPodsOf(kit, ["p", "q"], [THINGS, thing]);
      await createBudget(kit, { minAvailable: "25%" });
      await budgetSays(kit, [1, 2, 1, 4]);
    },
  },
];

const ODD: readonly Scenario[] = [
  {
    name: "pdb-unmanaged",
    run: async (kit) => {
      await createPodsOf(kit, ["p"]);
      await createBudget(kit, {
        maxUnavailable: 1,
        selector: { matchExpressions: [{ key: "app", operator: "In", values: ["b", "a"] }] },
      });
      await budgetSays(kit, [0, 1, 0, 0]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { maxUnavailable: null, minAvailable: 0 } });
      await budgetSays(kit, [1, 1, 0, 1]);
    },
  },
  {
    name: "pdb-selects-everything",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q"]);
      await createBudget(kit, { minAvailable: 1, selector: {} });
      await budgetSays(kit, [1, 2, 1, 2]);
    },
  },
  {
    name: "pdb-selects-nothing",
    run: async (kit) => {
      await createPodsOf(kit, ["p"]);
      await createBudget(kit, { minAvailable: 1, selector: undefined });
      await budgetSays(kit, [0, 0, 1, 0]);
    },
  },
  {
    name: "pdb-owner-without-scale",
    run: async (kit) => {
      const map = await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } });
      await createPodsOf(kit, ["p"], [CONFIGMAPS, map]);
      await createBudget(kit, { maxUnavailable: 1 });
      await budgetFails(kit, "configmaps does not implement the scale subresource");
      await kit.delete(PODS, "p");
      await budgetSays(kit, [0, 0, 0, 0]);
    },
    eventsDiffer: COUNTS_DIFFER,
  },
  {
    name: "pdb-owner-not-served",
    run: async (kit) => {
      const unknown = { group: "nowhere.example.com", version: "v1", plural: "xs", kind: "X", namespaced: true };
      await createPodsOf(kit, ["p"], [unknown, {
        metadata: { name: "x", uid: "11111111-2222-3333-4444-555555555555" },
      }]);
      await createBudget(kit, { minAvailable: "50%" });
      await budgetFails(kit, 'no matches for kind "X" in version "nowhere.example.com/v1"');
    },
  },
  {
    name: "pdb-two-of-them",
    run: async (kit) => {
      await createBudget(kit, { minAvailable: 1 });
      await createBudget(kit, { minAvailable: 1, selector: {} }, "c");
      await createPodsOf(kit, ["p", "q"]);
      const isOfB = (name: string) => kit.merge(PODDISRUPTIONBUDGETS, name, { metadata: { labels: { seen: "yes" } } });
      await isOfB("b");
      await isOfB("c");
      await budgetSays(kit, [1, 2, 1, 2]);
      await kit.until(PODDISRUPTIONBUDGETS, "c", "counts them too", ({ status }) => status?.disruptionsAllowed === 1);
    },
    eventsDiffer: "which of two budgets is chosen is arbitrary",
  },
  {
    name: "pdb-never-deleted",
    run: async (kit) => {
      await createPodsOf(kit, ["p"]);
      await createBudget(kit, { minAvailable: 1 });
      await budgetSays(kit, [0, 1, 1, 1]);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { status: { disruptedPods: { p: ONCE } } }, "status");
      await budgetSays(kit, [0, 1, 1, 1]);
      await kit.untilEvent("NotDeleted");
    },
    eventsDiffer: COUNTS_DIFFER,
  },
  {
    name: "pdb-foreign-condition",
    run: async (kit) => {
      await createPodsOf(kit, ["p", "q"]);
      await createBudget(kit, { minAvailable: 1 });
      await budgetSays(kit, [1, 2, 1, 2]);
      const { status } = await kit.get(PODDISRUPTIONBUDGETS, "b");
      const other = { type: "Other", status: "True", reason: "R", message: "", lastTransitionTime: ONCE };
      const conditions = [other, ...status!.conditions!];
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { status: { conditions } }, "status");
      await kit.delete(PODS, "p");
      await budgetSays(kit, [0, 1, 1, 1]);
    },
  },
];

const EVICTION: readonly Scenario[] = [
  {
    name: "pdb-eviction",
    run: async (kit) => {
      await rollOutSlowly(kit);
      await createBudget(kit, { minAvailable: 2 });
      await budgetSays(kit, [1, 3, 2, 3]);
      const ready = await kit.list(PODS); // a pod that replaces one is not ready, and may be evicted
      const gone = await evictOne(kit);
      const [other] = ready.filter(({ metadata }) => metadata?.name !== gone);
      const code = await evict(kit, other.metadata!.name!);
      if (code !== 429) throw new Error(`A second eviction was answered with ${code}`);
      await kit.untilGone(PODS, gone);
      await kit.rolledOut("a");
      await budgetSays(kit, [1, 3, 2, 3]);
    },
  },
  {
    name: "pdb-eviction-of-all",
    run: async (kit) => {
      await rollOutSlowly(kit, 2);
      await createBudget(kit, { maxUnavailable: 1 });
      const old = (await kit.list(PODS)).map(({ metadata }) => metadata!.name!);
      for (const name of old) {
        await budgetSays(kit, [1, 2, 1, 2]);
        const code = await evict(kit, name);
        if (code !== 201) throw new Error(`The eviction of ${name} was refused with ${code}`);
        await kit.untilGone(PODS, name);
        await kit.rolledOut("a");
      }
      await budgetSays(kit, [1, 2, 1, 2]);
    },
  },
  {
    name: "pdb-eviction-of-the-unhealthy",
    run: async (kit) => {
      const template = podTemplate("a");
      const metadata = { ...template.metadata, annotations: { "kubeloop.dev/ready-after": "never" } };
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2, template: { ...template, metadata } }));
      await kit.untilAll(PODS, "run", (pods) => pods.length === 2 && pods.every(isRunning));
      await createBudget(kit, { minAvailable: 2, unhealthyPodEvictionPolicy: "IfHealthyBudget" });
      await budgetSays(kit, [0, 0, 2, 2]);
      const [{ metadata: { name } = {} }] = await kit.list(PODS);
      const code = await evict(kit, name!);
      if (code !== 429) throw new Error(`The eviction was answered with ${code}`);
      await kit.merge(PODDISRUPTIONBUDGETS, "b", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
      await budgetSays(kit, [0, 0, 2, 2]);
      await evictOne(kit);
      await kit.untilAll(PODS, "run again", (pods) => pods.length === 2 && pods.every(isRunning));
      await budgetSays(kit, [0, 0, 2, 2]);
    },
  },
  {
    name: "pod-not-ended-after-all",
    run: async (kit) => {
      const template = orphanPod("p", "a");
      await kit.create(PODS, { ...template, spec: { ...template.spec!, schedulerName: "nobody" } });
      const target = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message: "m" };
      await patchPodStatus(kit, "p", { conditions: [{ ...target, lastTransitionTime: ONCE }] });
      await kit.until(
        PODS,
        "p",
        "is not to end any more",
        ({ status }) => findCondition(status?.conditions, "DisruptionTarget")?.status === "False",
      );
    },
  },
];

function isRunning({ metadata, status }: Pod): boolean {
  return !metadata?.deletionTimestamp && status?.phase === "Running";
}

export const DISRUPTION_SCENARIOS: readonly Scenario[] = [...COUNTING, ...ODD, ...EVICTION];
