/** What a user does with DaemonSets and what must come of it, on any server and under either manager. */
import {
  CONTROLLERREVISIONS,
  type DaemonSet,
  DAEMONSETS,
  type DaemonSetSpec,
  EVENTS,
  NAMESPACES,
  NODES,
  type Pod,
  PODS,
  RESOURCEQUOTAS,
} from "../../src/api/mod.ts";
import { type Kit, orphanPod, podTemplate } from "./kit.ts";
import type { Scenario } from "./scenarios.ts";
import { endPod, isReady, revisionsAre, settledPods, strangeRevision } from "./set_kit.ts";

type Options = { image?: string } & Partial<DaemonSetSpec>;

/** A DaemonSet of one nginx container. */
export function daemonSet(name: string, { image = "nginx:1", ...spec }: Options = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, labels: { app: name } },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name, image), ...spec },
  };
}

export const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

export function setDaemonImage(kit: Kit, image: string): Promise<DaemonSet> {
  return kit.merge(DAEMONSETS, "a", { spec: { template: { spec: { containers: [{ name: "c", image }] } } } });
}

/** Waits until every node that is to have a pod has a new one that serves, and nothing of it is still ending. */
export async function daemonsRolledOut(kit: Kit, wanted?: number): Promise<void> {
  const isDone = ({ metadata, status }: DaemonSet) => {
    const desired = status?.desiredNumberScheduled ?? 0;
    return status?.observedGeneration === metadata?.generation && (wanted === undefined || desired === wanted) &&
      (status?.updatedNumberScheduled ?? 0) === desired && (status?.numberAvailable ?? 0) === desired &&
      status?.currentNumberScheduled === desired;
  };
  await kit.until(DAEMONSETS, "a", "is rolled out", isDone);
  await settledPods(kit);
  await kit.until(DAEMONSETS, "a", "is still rolled out", isDone);
}

async function rollOut(kit: Kit, options: Options = {}, wanted?: number): Promise<void> {
  await kit.create(DAEMONSETS, daemonSet("a", options));
  await daemonsRolledOut(kit, wanted);
}

const onNode = (name: string): Options => ({
  template: {
    ...podTemplate("a"),
    spec: { ...podTemplate("a").spec!, nodeSelector: { "kubernetes.io/hostname": name } },
  },
});

const nodesOf = (pods: readonly Pod[]) => pods.map(({ spec }) => spec?.nodeName ?? "").sort().join();

async function untilEvent(kit: Kit, reason: string): Promise<void> {
  await kit.untilAll(EVENTS, `one says ${reason}`, (events) => events.some((event) => event.reason === reason));
}

const UPDATES: readonly Scenario[] = [
  { name: "ds-create", run: (kit) => rollOut(kit, {}, 3) },
  {
    name: "ds-new-image",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await setDaemonImage(kit, "nginx:2");
      await daemonsRolledOut(kit);
    },
  },
  {
    name: "ds-max-unavailable",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: rolling("50%") }, 3);
      await setDaemonImage(kit, "nginx:2");
      await daemonsRolledOut(kit);
    },
  },
  {
    name: "ds-surge",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: rolling(0, 1) }, 3);
      await setDaemonImage(kit, "nginx:2");
      await daemonsRolledOut(kit);
    },
  },
  {
    name: "ds-surge-all",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: rolling(0, "100%"), minReadySeconds: 1 }, 3);
      // Upstream looks once, 2 s after a pod was first ready, and would not again if the new ones were ready by then.
      const annotations = { "kubeloop.dev/ready-after": "3s" };
      await kit.merge(DAEMONSETS, "a", { spec: { template: { metadata: { annotations } } } });
      await daemonsRolledOut(kit);
    },
  },
  {
    name: "ds-on-delete",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: { type: "OnDelete" } }, 3);
      await setDaemonImage(kit, "nginx:2");
      await revisionsAre(kit, 2);
      const pod = (await kit.list(PODS)).find(({ spec }) => spec?.nodeName === "node-0");
      await kit.delete(PODS, pod!.metadata!.name!);
      await kit.until(
        DAEMONSETS,
        "a",
        "has one new pod",
        ({ status }) => status?.updatedNumberScheduled === 1 && status.numberAvailable === 3,
      );
      await settledPods(kit);
    },
  },
  {
    name: "ds-undo",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: rolling(3) }, 3);
      for (const image of ["nginx:2", "nginx:3", "nginx:1"]) {
        await setDaemonImage(kit, image);
        await daemonsRolledOut(kit);
      }
      await revisionsAre(kit, 3);
    },
  },
  {
    name: "ds-history-limit",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: rolling(3), revisionHistoryLimit: 1 }, 3);
      for (const image of ["nginx:2", "nginx:3", "nginx:4"]) {
        await setDaemonImage(kit, image);
        await daemonsRolledOut(kit);
      }
      await revisionsAre(kit, 2);
    },
  },
  {
    name: "ds-stuck",
    eventsDiffer: "which node's pod is replaced first is not decided",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await setDaemonImage(kit, "nginx:never-pull");
      await kit.until(
        DAEMONSETS,
        "a",
        "is stuck",
        ({ status }) => status?.updatedNumberScheduled === 1 && status.numberAvailable === 2,
      );
      await settledPods(kit);
      await setDaemonImage(kit, "nginx:3");
      await daemonsRolledOut(kit);
    },
  },
  { name: "ds-min-ready-seconds", run: (kit) => rollOut(kit, { minReadySeconds: 2 }, 3) },
];

const PODS_OF_DAEMONS: readonly Scenario[] = [
  {
    name: "ds-host-network",
    run: (kit) => {
      const template = podTemplate("a");
      const tolerations = [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
        { key: "other", operator: "Equal", value: "x" },
      ];
      return rollOut(
        kit,
        { template: { ...template, spec: { ...template.spec!, hostNetwork: true, tolerations } } },
        3,
      );
    },
  },
  { name: "ds-node-selector", run: (kit) => rollOut(kit, onNode("node-1"), 1) },
  {
    name: "ds-affinity",
    run: (kit) => {
      const template = podTemplate("a");
      const match = (operator: string, values?: string[]) => ({ key: "kubernetes.io/hostname", operator, values });
      const nodeAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [match("In", ["node-0"]), match("Exists")] },
            { matchFields: [{ key: "metadata.name", operator: "In", values: ["node-2"] }] },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [match("Exists")] } },
        ],
      };
      return rollOut(kit, { template: { ...template, spec: { ...template.spec!, affinity: { nodeAffinity } } } }, 2);
    },
  },
  {
    name: "ds-moved",
    run: async (kit) => {
      await rollOut(kit, { ...onNode("node-0"), updateStrategy: rolling(1) }, 1);
      await kit.merge(DAEMONSETS, "a", {
        spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "node-1" } } } },
      });
      await kit.untilAll(PODS, "run on node-1", (pods) => nodesOf(pods) === "node-1" && pods.every(isReady));
      await daemonsRolledOut(kit, 1);
    },
  },
  {
    name: "ds-adopts",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await kit.delete(DAEMONSETS, "a", "Orphan");
      await kit.untilGone(DAEMONSETS, "a");
      await kit.untilAll(PODS, "have no owner", (pods) => pods.every((pod) => !pod.metadata?.ownerReferences));
      await kit.untilAll(
        CONTROLLERREVISIONS,
        "have no owner",
        (revisions) => revisions.every(({ metadata }) => !metadata?.ownerReferences),
      );
      await rollOut(kit, {}, 3);
    },
  },
  {
    name: "ds-excess",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      // Of pods made within one second the first by name stays.
      const stranger = orphanPod("zz-stranger", "a");
      await kit.create(PODS, { ...stranger, spec: { ...stranger.spec!, nodeName: "node-0" } });
      await kit.untilGone(PODS, "zz-stranger");
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-pod-released",
    run: async (kit) => {
      await rollOut(kit, onNode("node-1"), 1);
      const [{ metadata }] = await kit.list(PODS);
      await kit.merge(PODS, metadata!.name!, { metadata: { labels: { app: "b" } } });
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2 && pods.every(isReady));
      await daemonsRolledOut(kit, 1);
    },
  },
  {
    name: "ds-failed-pod",
    run: async (kit) => {
      await rollOut(kit, onNode("node-1"), 1);
      for (const phase of ["Failed", "Succeeded"] as const) {
        const [{ metadata }] = await kit.list(PODS);
        await endPod(kit, metadata!.name!, phase);
        // The status may still be that of before.
        await kit.untilAll(
          PODS,
          "is another",
          ([pod, ...more]) => more.length === 0 && (pod?.metadata?.uid ?? metadata!.uid) !== metadata!.uid,
        );
        await daemonsRolledOut(kit, 1);
      }
    },
  },
  {
    name: "ds-quota",
    run: async (kit) => {
      const hard = { pods: "0" };
      await kit.create(RESOURCEQUOTAS, {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "few" },
        spec: { hard },
      });
      await kit.merge(RESOURCEQUOTAS, "few", { status: { hard, used: { pods: "0" } } }, "status");
      await kit.create(DAEMONSETS, daemonSet("a"));
      await untilEvent(kit, "FailedCreate");
      await kit.until(DAEMONSETS, "a", "has counted", ({ status }) => status?.desiredNumberScheduled === 3);
    },
  },
];

const HISTORY: readonly Scenario[] = [
  {
    name: "ds-name-collision",
    run: async (kit) => {
      await rollOut(kit, onNode("node-1"), 1);
      const [{ metadata }] = await kit.list(CONTROLLERREVISIONS);
      await kit.delete(DAEMONSETS, "a", "Foreground");
      await kit.untilGone(DAEMONSETS, "a");
      await kit.untilAll(CONTROLLERREVISIONS, "are gone", (revisions) => revisions.length === 0);
      await kit.create(CONTROLLERREVISIONS, strangeRevision(metadata!.name!));
      await rollOut(kit, onNode("node-1"), 1);
    },
  },
  {
    name: "ds-twin-revisions",
    run: async (kit) => {
      await rollOut(kit, onNode("node-1"), 1);
      const [{ data, metadata }] = await kit.list(CONTROLLERREVISIONS);
      const twin = {
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: { name: "twin", labels: { app: "a", "controller-revision-hash": "by-hand" } },
        data,
        revision: 3,
      };
      await kit.client.create(CONTROLLERREVISIONS, twin, { namespace: kit.namespace, isCanonical: true });
      await kit.untilGone(CONTROLLERREVISIONS, metadata!.name!);
      await daemonsRolledOut(kit, 1);
    },
  },
  {
    name: "ds-unlabelled-revision",
    run: async (kit) => {
      await kit.create(CONTROLLERREVISIONS, {
        ...strangeRevision("by-hand"),
        metadata: { name: "by-hand", labels: { app: "a" } },
        revision: 7,
      });
      await rollOut(kit, onNode("node-1"), 1);
    },
  },
];

const TROUBLE: readonly Scenario[] = [
  {
    name: "ds-no-account",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, serviceAccountName: "missing" };
      await kit.create(DAEMONSETS, daemonSet("a", { template: { ...template, spec } }));
      await untilEvent(kit, "FailedCreate");
      await kit.until(DAEMONSETS, "a", "has counted", ({ status }) => status?.observedGeneration === 1);
    },
  },
  {
    name: "ds-overlapping",
    run: async (kit) => {
      const other = daemonSet("b", onNode("node-1"));
      await rollOut(kit, onNode("node-1"), 1);
      const selector = { matchLabels: { app: "a" } };
      await kit.create(DAEMONSETS, { ...other, spec: { ...other.spec!, selector } });
      await kit.until(DAEMONSETS, "b", "has its own pod", ({ status }) => status?.numberAvailable === 1);
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2);
    },
  },
  {
    name: "ds-recreated",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await kit.delete(DAEMONSETS, "a", "Foreground");
      await kit.untilGone(DAEMONSETS, "a");
      await rollOut(kit, { image: "nginx:2" }, 3);
    },
  },
  {
    name: "ds-namespace-deleted",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];

export const DAEMONSET_SCENARIOS: readonly Scenario[] = [...UPDATES, ...PODS_OF_DAEMONS, ...HISTORY, ...TROUBLE];

async function withTaint(kit: Kit, node: string, effect: string, run: () => Promise<void>): Promise<void> {
  const setTaints = (taints: unknown) =>
    kit.client.patch(NODES, { name: node }, { type: "merge", body: { spec: { taints } } });
  await setTaints([{ key: "example.com/special", value: "yes", effect }]);
  try {
    await run();
  } finally {
    await setTaints(null);
  }
}

/** Has the DaemonSet looked at until it has seen what became of a node: such changes alone make nobody look. */
async function lookAgain(kit: Kit, what: string, holds: (daemonSet: DaemonSet) => boolean): Promise<void> {
  const touch = (look: string | null) => kit.merge(DAEMONSETS, "a", { metadata: { annotations: { look } } });
  let looks = 0;
  await kit.until(DAEMONSETS, "a", what, async (daemonSet) => {
    if (holds(daemonSet)) return true;
    await touch(String(++looks));
  });
  await touch(null);
}

/** Those that change nodes, and so cannot run beside others. */
export const NODE_SCENARIOS: readonly Scenario[] = [
  {
    name: "ds-taint-no-schedule",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await withTaint(kit, "node-0", "NoSchedule", async () => {
        await lookAgain(kit, "has a pod out of place", ({ status }) => status?.numberMisscheduled === 1);
        await kit.untilAll(PODS, "are kept", (pods) => pods.length === 3);
      });
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-taint-no-execute",
    run: async (kit) => {
      await rollOut(kit, {}, 3);
      await withTaint(kit, "node-0", "NoExecute", async () => {
        await kit.untilAll(PODS, "have left node-0", (pods) => nodesOf(pods) === "node-1,node-2");
        await kit.until(
          DAEMONSETS,
          "a",
          "wants two",
          ({ status }) => status?.desiredNumberScheduled === 2 && status.currentNumberScheduled === 2,
        );
      });
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-taint-before",
    run: async (kit) => {
      await withTaint(kit, "node-0", "NoSchedule", () => rollOut(kit, {}, 2));
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-taint-tolerated",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, tolerations: [{ operator: "Exists", effect: "NoExecute" }] };
      await withTaint(kit, "node-0", "NoExecute", () => rollOut(kit, { template: { ...template, spec } }, 3));
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-cordon",
    run: async (kit) => {
      const cordon = (unschedulable: boolean | null) =>
        kit.client.patch(NODES, { name: "node-0" }, { type: "merge", body: { spec: { unschedulable } } });
      await cordon(true);
      await rollOut(kit, {}, 3);
      await cordon(null);
    },
  },
  {
    name: "ds-label",
    run: async (kit) => {
      const template = podTemplate("a");
      const label = (disk: string | null) =>
        kit.client.patch(NODES, { name: "node-2" }, { type: "merge", body: { metadata: { labels: { disk } } } });
      const spec = { ...template.spec!, nodeSelector: { disk: "ssd" } };
      await rollOut(kit, { template: { ...template, spec } }, 0);
      await label("ssd");
      await daemonsRolledOut(kit, 1);
      await label(null);
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await daemonsRolledOut(kit, 0);
    },
  },
  {
    name: "ds-node-comes-and-goes",
    run: async (kit) => {
      const template = podTemplate("a");
      // Pods that nobody binds: those that are bound stay when their node goes.
      const spec = { ...template.spec!, schedulerName: "nobody" };
      const hasPods = (count: number) => ({ metadata, status }: DaemonSet) =>
        status?.observedGeneration === metadata?.generation && status?.desiredNumberScheduled === count &&
        status?.currentNumberScheduled === count;
      await kit.create(DAEMONSETS, daemonSet("a", { template: { ...template, spec } }));
      await kit.until(DAEMONSETS, "a", "has three pods", hasPods(3));
      await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "extra" } });
      await kit.client.patch(NODES, { name: "extra" }, { type: "merge", body: { spec: { taints: null } } });
      await kit.until(DAEMONSETS, "a", "has four pods", hasPods(4));
      await kit.client.delete(NODES, { name: "extra" });
      await lookAgain(kit, "has three pods again", ({ status }) => status?.currentNumberScheduled === 3);
      await kit.until(DAEMONSETS, "a", "has three pods again", hasPods(3));
    },
  },
];
