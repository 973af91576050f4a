/**
 * ReplicationControllers, StatefulSets and DaemonSets that make no sense: what comes of them, and that others of their kind, which
 * are all called `ok`, come up all the same.
 */
import {
  DAEMONSETS,
  PODS,
  REPLICATIONCONTROLLERS,
  RESOURCEQUOTAS,
  STATEFULSETS,
  type StatefulSetSpec,
} from "../../src/api/mod.ts";
import { daemonSet, rolling } from "./daemon_kit.ts";
import { type Kit, podTemplate } from "./kit.ts";
import { replicationController } from "./replication_scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { HUGE, observed, podOfAnother, podOfNobody, told } from "./senseless_kit.ts";
import { setImageOf, setRolledOut, settledPods, statefulSet } from "./set_kit.ts";

async function controllerIsFine(kit: Kit, name = "ok", replicas = 1): Promise<void> {
  if (name === "ok") await kit.create(REPLICATIONCONTROLLERS, replicationController("ok", { replicas }));
  await kit.until(
    REPLICATIONCONTROLLERS,
    name,
    "has its pods",
    ({ metadata, status }) =>
      status?.observedGeneration === metadata?.generation && status?.replicas === replicas &&
      status.availableReplicas === replicas,
  );
}

async function statefulSetIsFine(kit: Kit): Promise<void> {
  await kit.create(STATEFULSETS, statefulSet("ok", { replicas: 2 }));
  await setRolledOut(kit, "ok");
}

async function daemonSetIsFine(kit: Kit): Promise<void> {
  const template = podTemplate("ok");
  const spec = { ...template.spec!, nodeSelector: { "kubernetes.io/hostname": "node-0" } };
  await kit.create(DAEMONSETS, daemonSet("ok", { template: { ...template, spec } }));
  await kit.until(DAEMONSETS, "ok", "has its pod", ({ status }) => status?.numberAvailable === 1);
}

const REPLICATION: readonly Scenario[] = [
  {
    name: "odd-rc-overlapping",
    run: async (kit) => {
      for (const name of ["a", "b"]) {
        const { metadata, spec } = replicationController("a", { replicas: 2 });
        await kit.create(REPLICATIONCONTROLLERS, { metadata: { ...metadata, name }, spec });
      }
      for (const name of ["a", "b"]) await controllerIsFine(kit, name, 2);
      await kit.merge(REPLICATIONCONTROLLERS, "a", { spec: { replicas: 1 } });
      await controllerIsFine(kit, "a", 1);
      await settledPods(kit);
      await kit.untilAll(PODS, "are three", (pods) => pods.length === 3);
    },
  },
  {
    name: "odd-rc-selector-changed",
    run: async (kit) => {
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await controllerIsFine(kit, "a", 2);
      await kit.merge(REPLICATIONCONTROLLERS, "a", {
        spec: { selector: { app: "b" }, template: { metadata: { labels: { app: "b" } } } },
      });
      const isFree = (owners: unknown) => owners === undefined;
      await kit.untilAll(
        PODS,
        "are four, two of them free",
        (pods) => pods.length === 4 && pods.filter(({ metadata }) => isFree(metadata?.ownerReferences)).length === 2,
      );
      await controllerIsFine(kit, "a", 2);
      await controllerIsFine(kit);
    },
  },
  {
    name: "odd-rc-pods-of-others",
    run: async (kit) => {
      await podOfAnother(kit, "another", "a");
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await podOfNobody(kit, "nobody", "a", REPLICATIONCONTROLLERS);
      await controllerIsFine(kit, "a", 2);
      await kit.untilAll(PODS, "are three", (pods) => pods.length === 3);
    },
  },
  {
    name: "odd-rc-negative",
    run: async (kit) => {
      await kit.createUnchecked(REPLICATIONCONTROLLERS, replicationController("a"), ({ spec }) => {
        spec!.minReadySeconds = -1;
      });
      await controllerIsFine(kit, "a", 3);
      await controllerIsFine(kit);
    },
  },
  {
    name: "odd-rc-too-many",
    run: async (kit) => {
      await controllerIsFine(kit);
      const hard = { pods: "3" };
      await kit.create(RESOURCEQUOTAS, { metadata: { name: "few" }, spec: { hard } });
      await kit.until(RESOURCEQUOTAS, "few", "is measured", ({ status }) => status?.used?.pods === "1");
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: HUGE }));
      await kit.until(
        REPLICATIONCONTROLLERS,
        "a",
        "says what failed",
        ({ status }) => status?.availableReplicas === 2 && status.conditions?.[0]?.reason === "FailedCreate",
      );
      await kit.merge(REPLICATIONCONTROLLERS, "a", { spec: { replicas: 1 } });
      await controllerIsFine(kit, "a", 1);
      await settledPods(kit);
      await kit.until(RESOURCEQUOTAS, "few", "is measured", ({ status }) => status?.used?.pods === "2");
    },
    eventsDiffer: "how often it is refused, and so whether events are put together, depends on timing",
  },
  {
    name: "odd-rc-never-available",
    run: async (kit) => {
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 1, minReadySeconds: HUGE }));
      await kit.until(REPLICATIONCONTROLLERS, "a", "has its pod", ({ status }) => status?.readyReplicas === 1);
      await controllerIsFine(kit);
    },
  },
];

const start = (first: number): Partial<StatefulSetSpec> => ({
  ordinals: { start: first },
  podManagementPolicy: "Parallel",
});

const STATEFUL: readonly Scenario[] = [
  {
    name: "odd-sts-last-ordinal",
    run: async (kit) => {
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2, ...start(HUGE - 1) }));
      await setRolledOut(kit, "a");
      await statefulSetIsFine(kit);
    },
  },
  {
    name: "odd-sts-partition-beyond",
    run: async (kit) => {
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 1 }));
      await setRolledOut(kit, "a");
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: HUGE } };
      await kit.merge(STATEFULSETS, "a", { spec: { updateStrategy } });
      await setImageOf(kit, "a", "nginx:2");
      await observed(kit, STATEFULSETS, "a");
      await statefulSetIsFine(kit);
    },
  },
  {
    name: "odd-sts-pod-of-another",
    run: async (kit) => {
      await podOfAnother(kit, "a-0", "a");
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 1 }));
      await observed(kit, STATEFULSETS, "a");
      await statefulSetIsFine(kit);
    },
  },
  {
    name: "odd-sts-never-available",
    run: async (kit) => {
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2, minReadySeconds: HUGE }));
      await kit.until(STATEFULSETS, "a", "has a pod", ({ status }) => status?.readyReplicas === 1);
      await statefulSetIsFine(kit);
    },
  },
  {
    name: "odd-sts-negative",
    run: async (kit) => {
      await kit.createUnchecked(STATEFULSETS, statefulSet("a", { replicas: 1 }), ({ spec }) => {
        spec!.revisionHistoryLimit = -1;
        spec!.minReadySeconds = -5;
      });
      await kit.until(STATEFULSETS, "a", "has its pod", ({ status }) => status?.availableReplicas === 1);
      await setImageOf(kit, "a", "nginx:2").catch(() => {}); // refused, since the rest is still wrong
      await statefulSetIsFine(kit);
    },
  },
  {
    name: "odd-sts-unknown-strategies",
    run: async (kit) => {
      await kit.createUnchecked(STATEFULSETS, statefulSet("a", { replicas: 2 }), ({ spec }) => {
        spec!.podManagementPolicy = "Sideways";
        spec!.updateStrategy = { type: "Sometimes" };
      });
      await kit.until(STATEFULSETS, "a", "has its pods", ({ status }) => status?.availableReplicas === 2);
      await statefulSetIsFine(kit);
    },
  },
];

const DAEMONS: readonly Scenario[] = [
  {
    name: "odd-ds-of-no-node",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, nodeSelector: { nobody: "here" } };
      await kit.create(DAEMONSETS, daemonSet("a", { template: { ...template, spec } }));
      await observed(kit, DAEMONSETS, "a");
      await daemonSetIsFine(kit);
    },
  },
  {
    name: "odd-ds-selects-all",
    run: async (kit) => {
      await kit.createUnchecked(DAEMONSETS, daemonSet("a"), ({ spec }) => {
        spec!.selector = {};
      });
      await told(kit, "a", "SelectingAll");
      await daemonSetIsFine(kit);
    },
  },
  {
    name: "odd-ds-pod-of-another",
    run: async (kit) => {
      await podOfAnother(kit, "another", "a");
      await kit.create(DAEMONSETS, daemonSet("a"));
      await podOfNobody(kit, "nobody", "a", DAEMONSETS);
      await kit.until(
        DAEMONSETS,
        "a",
        "is everywhere",
        ({ status }) =>
          (status?.desiredNumberScheduled ?? 0) > 0 && status?.numberAvailable === status?.desiredNumberScheduled,
      );
      await daemonSetIsFine(kit);
    },
  },
  {
    name: "odd-ds-never-available",
    run: async (kit) => {
      await kit.create(DAEMONSETS, daemonSet("a", { minReadySeconds: HUGE }));
      await kit.until(
        DAEMONSETS,
        "a",
        "is everywhere",
        ({ status }) =>
          (status?.desiredNumberScheduled ?? 0) > 0 && status?.numberReady === status?.desiredNumberScheduled,
      );
      await daemonSetIsFine(kit);
    },
  },
  {
    name: "odd-ds-negative",
    run: async (kit) => {
      await kit.createUnchecked(DAEMONSETS, daemonSet("a"), ({ spec }) => {
        spec!.updateStrategy = rolling(-1, -2);
        spec!.revisionHistoryLimit = -1;
        spec!.minReadySeconds = -1;
      });
      await kit.untilAll(PODS, "are there and ready", (pods) => pods.length > 0);
      await daemonSetIsFine(kit);
    },
  },
  {
    name: "odd-ds-bound-of-no-number",
    run: async (kit) => {
      await kit.createUnchecked(DAEMONSETS, daemonSet("a"), ({ spec }) => {
        spec!.updateStrategy = rolling("many");
      });
      await kit.untilAll(PODS, "are there", (pods) => pods.length > 0);
      await daemonSetIsFine(kit);
    },
  },
];

export const SENSELESS_SET_SCENARIOS: readonly Scenario[] = [...REPLICATION, ...STATEFUL, ...DAEMONS];
