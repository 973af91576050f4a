/** What a user does with StatefulSets and what must come of it, on any server and under either manager. */
import {
  CONTROLLERREVISIONS,
  EVENTS,
  NAMESPACES,
  PERSISTENTVOLUMECLAIMS,
  PODS,
  RESOURCEQUOTAS,
  type StatefulSet,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { type Kit, orphanPod, podTemplate } from "./kit.ts";
import type { Scenario } from "./scenarios.ts";
import {
  bindClaims,
  DATA,
  endPod,
  evict,
  podsAre,
  revisionsAre,
  setImageOf,
  setRolledOut,
  settledPods,
  statefulSet,
  strangeRevision,
  strangeTemplate,
} from "./set_kit.ts";

const scale = (kit: Kit, replicas: number) => kit.merge(STATEFULSETS, "a", { spec: { replicas } });

const partition = (at: number) => ({ type: "RollingUpdate", rollingUpdate: { partition: at } });

async function rollOut(kit: Kit, options: Parameters<typeof statefulSet>[1] = {}): Promise<StatefulSet> {
  await kit.create(STATEFULSETS, statefulSet("a", options));
  return await setRolledOut(kit, "a");
}

/** A set with claims, each of which gets its volume. */
async function rollOutWithClaims(kit: Kit, options: Parameters<typeof statefulSet>[1] = {}): Promise<void> {
  const set = statefulSet("a", { volumeClaimTemplates: [DATA], podManagementPolicy: "Parallel", ...options });
  await kit.create(STATEFULSETS, set);
  await bindClaims(kit, set.spec!.replicas!);
  await setRolledOut(kit, "a");
}

const deletesClaims = (whenScaled: string, whenDeleted: string) => ({
  persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
});

async function untilEvent(kit: Kit, reason: string): Promise<void> {
  await kit.untilAll(EVENTS, `one says ${reason}`, (events) => events.some((event) => event.reason === reason));
}

const SCALING: readonly Scenario[] = [
  {
    name: "sts-scale",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      for (const replicas of [4, 1]) {
        await scale(kit, replicas);
        await setRolledOut(kit, "a");
      }
    },
  },
  {
    name: "sts-scale-to-zero",
    run: async (kit) => {
      await rollOut(kit);
      await scale(kit, 0);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-parallel-scale",
    run: async (kit) => {
      await rollOut(kit, { podManagementPolicy: "Parallel" });
      for (const replicas of [8, 2]) {
        await scale(kit, replicas);
        await setRolledOut(kit, "a");
      }
    },
  },
  {
    name: "sts-start-ordinal",
    run: async (kit) => {
      await rollOut(kit, { ordinals: { start: 5 } });
      await kit.merge(STATEFULSETS, "a", { spec: { ordinals: { start: 4 } } });
      await podsAre(kit, ["a-4", "a-5", "a-6"]);
      await setRolledOut(kit, "a");
    },
  },
  { name: "sts-min-ready-seconds", run: async (kit) => void await rollOut(kit, { replicas: 2, minReadySeconds: 2 }) },
];

const UPDATES: readonly Scenario[] = [
  {
    name: "sts-new-image",
    run: async (kit) => {
      await rollOut(kit);
      await setImageOf(kit, "a", "nginx:2");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-parallel-new-image",
    run: async (kit) => {
      await rollOut(kit, { podManagementPolicy: "Parallel" });
      await setImageOf(kit, "a", "nginx:2");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-partition",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: partition(2) });
      await setImageOf(kit, "a", "nginx:2");
      await kit.until(
        STATEFULSETS,
        "a",
        "is updated above",
        ({ status, metadata }) =>
          status?.observedGeneration === metadata?.generation && status?.updatedReplicas === 1 &&
          status.readyReplicas === 3,
      );
      const { metadata } = await kit.get(PODS, "a-0");
      await kit.delete(PODS, "a-0");
      await kit.until(PODS, "a-2", "exists", () => true);
      await kit.untilAll(
        PODS,
        "a-0 is a new one",
        (pods) => pods.some((pod) => pod.metadata?.name === "a-0" && pod.metadata.uid !== metadata?.uid),
      );
      await kit.until(STATEFULSETS, "a", "is whole again", ({ status }) => status?.readyReplicas === 3);
      await settledPods(kit);
    },
  },
  {
    name: "sts-partition-lowered",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: partition(2) });
      await setImageOf(kit, "a", "nginx:2");
      await kit.until(
        STATEFULSETS,
        "a",
        "is updated above",
        ({ status }) =>
          status?.updatedReplicas === 1 && status.readyReplicas === 3 &&
          status.currentRevision !== status.updateRevision,
      );
      await kit.merge(STATEFULSETS, "a", { spec: { updateStrategy: partition(0) } });
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-on-delete",
    run: async (kit) => {
      await rollOut(kit, { updateStrategy: { type: "OnDelete" } });
      await setImageOf(kit, "a", "nginx:2");
      await revisionsAre(kit, 2);
      await kit.delete(PODS, "a-1");
      await kit.until(
        STATEFULSETS,
        "a",
        "has one new pod",
        ({ status, metadata }) =>
          status?.observedGeneration === metadata?.generation && status?.updatedReplicas === 1 &&
          status.readyReplicas === 3,
      );
      await settledPods(kit);
    },
  },
  {
    name: "sts-undo",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      for (const image of ["nginx:2", "nginx:3", "nginx:1"]) {
        await setImageOf(kit, "a", image);
        await setRolledOut(kit, "a");
      }
      await revisionsAre(kit, 3);
    },
  },
  {
    name: "sts-history-limit",
    run: async (kit) => {
      await rollOut(kit, { replicas: 1, revisionHistoryLimit: 1 });
      for (const image of ["nginx:2", "nginx:3", "nginx:4"]) {
        await setImageOf(kit, "a", image);
        await setRolledOut(kit, "a");
      }
      await revisionsAre(kit, 2);
    },
  },
  {
    name: "sts-stuck",
    run: async (kit) => {
      await rollOut(kit);
      await setImageOf(kit, "a", "nginx:never-pull");
      await kit.until(
        PODS,
        "a-2",
        "cannot pull",
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason !== undefined,
      );
      await kit.until(
        STATEFULSETS,
        "a",
        "is stuck",
        ({ status }) => status?.updatedReplicas === 1 && status.readyReplicas === 2,
      );
      await setImageOf(kit, "a", "nginx:1");
      await kit.until(
        STATEFULSETS,
        "a",
        "is still stuck",
        ({ status, metadata }) => status?.observedGeneration === metadata?.generation && status?.readyReplicas === 2,
      );
      await kit.delete(PODS, "a-2");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-strange-text",
    run: async (kit) => void await rollOut(kit, { replicas: 1, template: strangeTemplate("a") }),
  },
  {
    name: "sts-annotated",
    run: async (kit) => {
      const set = statefulSet("a", { replicas: 1 });
      await kit.create(STATEFULSETS, { ...set, metadata: { ...set.metadata, annotations: { team: "blue" } } });
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-name-collision",
    run: async (kit) => {
      const { status } = await rollOut(kit, { replicas: 1 });
      await kit.delete(STATEFULSETS, "a", "Foreground");
      await kit.untilGone(STATEFULSETS, "a");
      await kit.untilAll(CONTROLLERREVISIONS, "are gone", (revisions) => revisions.length === 0);
      await kit.create(CONTROLLERREVISIONS, strangeRevision(status!.updateRevision!));
      await rollOut(kit, { replicas: 1 });
    },
  },
];

const REPAIRS: readonly Scenario[] = [
  {
    name: "sts-adopts",
    run: async (kit) => {
      await rollOut(kit);
      await kit.delete(STATEFULSETS, "a", "Orphan");
      await kit.untilGone(STATEFULSETS, "a");
      await kit.untilAll(PODS, "have no owner", (pods) => pods.every((pod) => !pod.metadata?.ownerReferences));
      await kit.create(PODS, orphanPod("stranger", "a"));
      await rollOut(kit, { image: "nginx:2" });
      await kit.until(PODS, "stranger", "is ready", ({ status }) => status?.phase === "Running");
    },
  },
  {
    name: "sts-label-lost",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      const name = "statefulset.kubernetes.io/pod-name";
      await kit.merge(PODS, "a-1", { metadata: { labels: { [name]: null } } });
      await kit.until(PODS, "a-1", "has its label again", ({ metadata }) => metadata?.labels?.[name] === "a-1");
      await untilEvent(kit, "SuccessfulUpdate");
    },
  },
  {
    name: "sts-pod-released",
    run: async (kit) => {
      await rollOut(kit, { replicas: 1 });
      await kit.merge(PODS, "a-0", { metadata: { labels: { app: "b" } } });
      await kit.until(PODS, "a-0", "has no owner", ({ metadata }) => !metadata?.ownerReferences);
      await kit.until(STATEFULSETS, "a", "has no pod", ({ status }) => status?.replicas === 0);
    },
  },
  {
    name: "sts-failed-pod",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      await endPod(kit, "a-0", "Failed");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-quota",
    run: async (kit) => {
      await kit.create(RESOURCEQUOTAS, {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "few" },
        spec: { hard: { pods: "1" } },
        status: { hard: { pods: "1" }, used: { pods: "0" } },
      });
      await kit.merge(RESOURCEQUOTAS, "few", { status: { hard: { pods: "1" }, used: { pods: "0" } } }, "status");
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await untilEvent(kit, "FailedCreate");
      await kit.until(STATEFULSETS, "a", "has one pod", ({ status }) => status?.readyReplicas === 1);
    },
  },
];

const TROUBLE: readonly Scenario[] = [
  {
    name: "sts-evicted",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      const { metadata } = await kit.get(PODS, "a-0");
      await evict(kit, "a-0");
      await kit.untilAll(
        PODS,
        "a-0 is a new one",
        (pods) => pods.some((pod) => pod.metadata?.name === "a-0" && pod.metadata.uid !== metadata?.uid),
      );
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-no-account",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, serviceAccountName: "missing" };
      await kit.create(STATEFULSETS, statefulSet("a", { template: { ...template, spec } }));
      await untilEvent(kit, "FailedCreate");
      await kit.until(STATEFULSETS, "a", "has counted", ({ status }) => status?.observedGeneration === 1);
    },
  },
  {
    name: "sts-overlapping",
    run: async (kit) => {
      const selector = { matchLabels: { app: "a" } };
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await kit.create(STATEFULSETS, statefulSet("b", { replicas: 2, selector, template: podTemplate("a") }));
      for (const name of ["a", "b"]) await setRolledOut(kit, name);
    },
  },
  {
    name: "sts-name-taken",
    run: async (kit) => {
      const pod = orphanPod("a-0", "other");
      await kit.create(PODS, pod);
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await kit.until(STATEFULSETS, "a", "has counted", ({ status }) => status?.observedGeneration === 1);
      await kit.delete(PODS, "a-0");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-recreated",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      await kit.delete(STATEFULSETS, "a", "Background");
      await kit.untilGone(STATEFULSETS, "a");
      await rollOut(kit, { replicas: 1, image: "nginx:2" });
      await podsAre(kit, ["a-0"]);
      await revisionsAre(kit, 1);
      await setRolledOut(kit, "a");
    },
    eventsDiffer: "pods of the first set may still be there when the second one begins",
  },
  {
    name: "sts-namespace-deleted",
    run: async (kit) => {
      await rollOut(kit, { replicas: 2 });
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];

const CLAIM_RACE = "a claim may get its volume just when its owners are written, which is a conflict";

const CLAIMS: readonly Scenario[] = [
  {
    name: "sts-claims-retained",
    run: async (kit) => {
      await rollOutWithClaims(kit);
      await scale(kit, 1);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-ordered",
    run: (kit) => rollOutWithClaims(kit, { replicas: 1, podManagementPolicy: "OrderedReady" }),
  },
  {
    name: "sts-claims-go-with-pods",
    run: async (kit) => {
      await rollOutWithClaims(kit, deletesClaims("Delete", "Retain"));
      await scale(kit, 1);
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "one is left", (claims) => claims.length === 1);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-go-with-set",
    eventsDiffer: CLAIM_RACE,
    run: async (kit) => {
      await rollOutWithClaims(kit, deletesClaims("Retain", "Delete"));
      await scale(kit, 1);
      await setRolledOut(kit, "a");
      await kit.delete(STATEFULSETS, "a", "Background");
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are gone", (claims) => claims.length === 0);
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
  {
    name: "sts-claims-go-with-both",
    eventsDiffer: CLAIM_RACE,
    run: async (kit) => {
      await rollOutWithClaims(kit, deletesClaims("Delete", "Delete"));
      await scale(kit, 2);
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "two are left", (claims) => claims.length === 2);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-policy-changed",
    eventsDiffer: CLAIM_RACE,
    run: async (kit) => {
      await rollOutWithClaims(kit, { replicas: 2 });
      const owners = (count: number) => (claims: { metadata?: { ownerReferences?: unknown[] } }[]) =>
        claims.every(({ metadata }) => (metadata?.ownerReferences?.length ?? 0) === count);
      await kit.merge(STATEFULSETS, "a", { spec: deletesClaims("Retain", "Delete") });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are owned", owners(1));
      await kit.merge(STATEFULSETS, "a", { spec: deletesClaims("Retain", "Retain") });
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "are free", owners(0));
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-claims-conflict",
    run: async (kit) => {
      await rollOutWithClaims(kit, { replicas: 1 });
      const { metadata } = await kit.get(STATEFULSETS, "a");
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: metadata!.uid!, controller: true };
      const config = await kit.create(CONTROLLERREVISIONS, strangeRevision("owner"));
      const controller = { ...owner, kind: "ControllerRevision", name: "owner", uid: config.metadata!.uid! };
      await kit.merge(PERSISTENTVOLUMECLAIMS, "data-a-0", { metadata: { ownerReferences: [controller] } });
      await kit.merge(STATEFULSETS, "a", { spec: deletesClaims("Delete", "Retain") });
      await setRolledOut(kit, "a");
    },
  },
];

export const STATEFULSET_SCENARIOS: readonly Scenario[] = [...SCALING, ...UPDATES, ...REPAIRS, ...TROUBLE, ...CLAIMS];

/** Where the gate MaxUnavailableStatefulSet is on. */
export const MAX_UNAVAILABLE_SCENARIOS: readonly Scenario[] = ["OrderedReady", "Parallel"].map((
  podManagementPolicy,
) => ({
  name: `sts-max-unavailable-${podManagementPolicy.toLowerCase()}`,
  run: async (kit) => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable: 2 } };
    await rollOut(kit, { replicas: 5, podManagementPolicy, updateStrategy });
    await setImageOf(kit, "a", "nginx:2");
    await kit.until(
      STATEFULSETS,
      "a",
      "is updated above its partition",
      ({ status }) => status?.updatedReplicas === 4 && status.availableReplicas === 5,
    );
    await settledPods(kit);
  },
}));
