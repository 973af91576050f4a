/** What a user does with DaemonSets and what must come of it, on any server and under either manager. */
import { CONTROLLERREVISIONS, DAEMONSETS, NAMESPACES, PODS } from "../../src/api/mod.ts";
import {
  type DaemonOptions,
  daemonSet,
  daemonsRolledOut,
  nodesOf,
  rolling,
  rollOutDaemons,
  setDaemonImage,
} from "./daemon_kit.ts";
import { type Kit, orphanPod, podTemplate } from "./kit.ts";
import { limitPods } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";
import { endPod, isReady, revisionsAre, settledPods, strangeRevision } from "./set_kit.ts";

/** Rolls out one image after the other. */
async function update(kit: Kit, ...images: string[]): Promise<void> {
  for (const image of images) {
    await setDaemonImage(kit, image);
    await daemonsRolledOut(kit);
  }
}

const onNode = (name: string): DaemonOptions => ({
  template: {
    ...podTemplate("a"),
    spec: { ...podTemplate("a").spec!, nodeSelector: { "kubernetes.io/hostname": name } },
  },
});

const UPDATES: readonly Scenario[] = [
  { name: "ds-create", run: (kit) => rollOutDaemons(kit, {}, 3) },
  {
    name: "ds-new-image",
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
      await update(kit, "nginx:2");
    },
  },
  {
    name: "ds-max-unavailable",
    run: async (kit) => {
      await rollOutDaemons(kit, { updateStrategy: rolling("50%") }, 3);
      await update(kit, "nginx:2");
    },
  },
  {
    name: "ds-surge",
    run: async (kit) => {
      await rollOutDaemons(kit, { updateStrategy: rolling(0, 1) }, 3);
      await update(kit, "nginx:2");
    },
  },
  {
    name: "ds-surge-all",
    run: async (kit) => {
      await rollOutDaemons(kit, { updateStrategy: rolling(0, "100%"), minReadySeconds: 1 }, 3);
      // Upstream looks once, 2 s after a pod was first ready, and would not again if the new ones were ready by then.
      const annotations = { "kubeloop.dev/ready-after": "3s" };
      await kit.merge(DAEMONSETS, "a", { spec: { template: { metadata: { annotations } } } });
      await daemonsRolledOut(kit);
    },
  },
  {
    name: "ds-on-delete",
    run: async (kit) => {
      await rollOutDaemons(kit, { updateStrategy: { type: "OnDelete" } }, 3);
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
      await rollOutDaemons(kit, { updateStrategy: rolling(3) }, 3);
      await update(kit, "nginx:2", "nginx:3", "nginx:1");
      await revisionsAre(kit, 3);
    },
  },
  {
    name: "ds-history-limit",
    run: async (kit) => {
      await rollOutDaemons(kit, { updateStrategy: rolling(3), revisionHistoryLimit: 1 }, 3);
      await update(kit, "nginx:2", "nginx:3", "nginx:4");
      await revisionsAre(kit, 2);
    },
  },
  {
    name: "ds-stuck",
    eventsDiffer: "which node's pod is replaced first is not decided",
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
      await setDaemonImage(kit, "nginx:never-pull");
      await kit.until(
        DAEMONSETS,
        "a",
        "is stuck",
        ({ status }) => status?.updatedNumberScheduled === 1 && status.numberAvailable === 2,
      );
      await settledPods(kit);
      await update(kit, "nginx:3");
    },
  },
  { name: "ds-min-ready-seconds", run: (kit) => rollOutDaemons(kit, { minReadySeconds: 2 }, 3) },
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
      return rollOutDaemons(
        kit,
        { template: { ...template, spec: { ...template.spec!, hostNetwork: true, tolerations } } },
        3,
      );
    },
  },
  { name: "ds-node-selector", run: (kit) => rollOutDaemons(kit, onNode("node-1"), 1) },
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
      return rollOutDaemons(
        kit,
        { template: { ...template, spec: { ...template.spec!, affinity: { nodeAffinity } } } },
        2,
      );
    },
  },
  {
    name: "ds-moved",
    run: async (kit) => {
      await rollOutDaemons(kit, { ...onNode("node-0"), updateStrategy: rolling(1) }, 1);
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
      await rollOutDaemons(kit, {}, 3);
      await kit.delete(DAEMONSETS, "a", "Orphan");
      await kit.untilGone(DAEMONSETS, "a");
      await kit.untilAll(PODS, "have no owner", (pods) => pods.every((pod) => !pod.metadata?.ownerReferences));
      await kit.untilAll(
        CONTROLLERREVISIONS,
        "have no owner",
        (revisions) => revisions.every(({ metadata }) => !metadata?.ownerReferences),
      );
      await rollOutDaemons(kit, {}, 3);
    },
  },
  {
    name: "ds-excess",
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
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
      await rollOutDaemons(kit, onNode("node-1"), 1);
      const [{ metadata }] = await kit.list(PODS);
      await kit.merge(PODS, metadata!.name!, { metadata: { labels: { app: "b" } } });
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2 && pods.every(isReady));
      await daemonsRolledOut(kit, 1);
    },
  },
  {
    name: "ds-failed-pod",
    run: async (kit) => {
      await rollOutDaemons(kit, onNode("node-1"), 1);
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
      await limitPods(kit, 0);
      await kit.create(DAEMONSETS, daemonSet("a"));
      await kit.untilEvent("FailedCreate");
      await kit.until(DAEMONSETS, "a", "has counted", ({ status }) => status?.desiredNumberScheduled === 3);
    },
  },
];

const HISTORY: readonly Scenario[] = [
  {
    name: "ds-name-collision",
    run: async (kit) => {
      await rollOutDaemons(kit, onNode("node-1"), 1);
      const [{ metadata }] = await kit.list(CONTROLLERREVISIONS);
      await kit.delete(DAEMONSETS, "a", "Foreground");
      await kit.untilGone(DAEMONSETS, "a");
      await kit.untilAll(CONTROLLERREVISIONS, "are gone", (revisions) => revisions.length === 0);
      await kit.create(CONTROLLERREVISIONS, strangeRevision(metadata!.name!));
      await rollOutDaemons(kit, onNode("node-1"), 1);
    },
  },
  {
    name: "ds-twin-revisions",
    run: async (kit) => {
      await rollOutDaemons(kit, onNode("node-1"), 1);
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
      await rollOutDaemons(kit, onNode("node-1"), 1);
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
      await kit.untilEvent("FailedCreate");
      await kit.until(DAEMONSETS, "a", "has counted", ({ status }) => status?.observedGeneration === 1);
    },
  },
  {
    name: "ds-overlapping",
    run: async (kit) => {
      const other = daemonSet("b", onNode("node-1"));
      await rollOutDaemons(kit, onNode("node-1"), 1);
      const selector = { matchLabels: { app: "a" } };
      await kit.create(DAEMONSETS, { ...other, spec: { ...other.spec!, selector } });
      await kit.until(DAEMONSETS, "b", "has its own pod", ({ status }) => status?.numberAvailable === 1);
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2);
    },
  },
  {
    name: "ds-recreated",
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
      await kit.delete(DAEMONSETS, "a", "Foreground");
      await kit.untilGone(DAEMONSETS, "a");
      await rollOutDaemons(kit, { image: "nginx:2" }, 3);
    },
  },
  {
    name: "ds-namespace-deleted",
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];

export const DAEMONSET_SCENARIOS: readonly Scenario[] = [...UPDATES, ...PODS_OF_DAEMONS, ...HISTORY, ...TROUBLE];
