/** What a user does with StatefulSets and what must come of it, on any server and under either manager. */
import { CONTROLLERREVISIONS, PODS, STATEFULSETS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  podsAre,
  resizeSet,
  revisionsAre,
  rollOutSet,
  setImageOf,
  setRolledOut,
  settledPods,
  statefulSet,
  strangeRevision,
  strangeTemplate,
  untilReplaced,
} from "./set_kit.ts";
import { CLAIMS_OF_SETS } from "./statefulset_claim_scenarios.ts";
import { STATEFULSET_TROUBLE } from "./statefulset_trouble_scenarios.ts";

/** Rolls out one image after the other. */
async function update(kit: Kit, ...images: string[]): Promise<void> {
  for (const image of images) {
    await setImageOf(kit, "a", image);
    await setRolledOut(kit, "a");
  }
}

const partition = (at: number) => ({ type: "RollingUpdate", rollingUpdate: { partition: at } });

const SCALING: readonly Scenario[] = [
  {
    name: "sts-scale",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 2 });
      await resizeSet(kit, 4, 1);
    },
  },
  {
    name: "sts-scale-to-zero",
    run: async (kit) => {
      await rollOutSet(kit);
      await resizeSet(kit, 0);
    },
  },
  {
    name: "sts-parallel-scale",
    run: async (kit) => {
      await rollOutSet(kit, { podManagementPolicy: "Parallel" });
      await resizeSet(kit, 8, 2);
    },
  },
  {
    name: "sts-start-ordinal",
    run: async (kit) => {
      await rollOutSet(kit, { ordinals: { start: 5 } });
      await kit.merge(STATEFULSETS, "a", { spec: { ordinals: { start: 4 } } });
      await podsAre(kit, ["a-4", "a-5", "a-6"]);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-min-ready-seconds",
    run: async (kit) => void await rollOutSet(kit, { replicas: 2, minReadySeconds: 2 }),
  },
];

const UPDATES: readonly Scenario[] = [
  {
    name: "sts-new-image",
    run: async (kit) => {
      await rollOutSet(kit);
      await update(kit, "nginx:2");
    },
  },
  {
    name: "sts-parallel-new-image",
    run: async (kit) => {
      await rollOutSet(kit, { podManagementPolicy: "Parallel" });
      await update(kit, "nginx:2");
    },
  },
  {
    name: "sts-partition",
    run: async (kit) => {
      await rollOutSet(kit, { updateStrategy: partition(2) });
      await setImageOf(kit, "a", "nginx:2");
      await kit.until(
        STATEFULSETS,
        "a",
        "is updated above",
        ({ status, metadata }) =>
          status?.observedGeneration === metadata?.generation && status?.updatedReplicas === 1 &&
          status.readyReplicas === 3,
      );
      const replaced = await kit.get(PODS, "a-0");
      await kit.delete(PODS, "a-0");
      await kit.until(PODS, "a-2", "exists", () => true);
      await untilReplaced(kit, replaced);
      await kit.until(STATEFULSETS, "a", "is whole again", ({ status }) => status?.readyReplicas === 3);
      await settledPods(kit);
    },
  },
  {
    name: "sts-partition-lowered",
    run: async (kit) => {
      await rollOutSet(kit, { updateStrategy: partition(2) });
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
      await rollOutSet(kit, { updateStrategy: { type: "OnDelete" } });
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
      await rollOutSet(kit, { replicas: 2 });
      await update(kit, "nginx:2", "nginx:3", "nginx:1");
      await revisionsAre(kit, 3);
    },
  },
  {
    name: "sts-history-limit",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 1, revisionHistoryLimit: 1 });
      await update(kit, "nginx:2", "nginx:3", "nginx:4");
      await revisionsAre(kit, 2);
    },
  },
  {
    name: "sts-stuck",
    run: async (kit) => {
      await rollOutSet(kit);
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
    run: async (kit) => void await rollOutSet(kit, { replicas: 1, template: strangeTemplate("a") }),
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
      const { status } = await rollOutSet(kit, { replicas: 1 });
      await kit.delete(STATEFULSETS, "a", "Foreground");
      await kit.untilGone(STATEFULSETS, "a");
      await kit.untilAll(CONTROLLERREVISIONS, "are gone", (revisions) => revisions.length === 0);
      await kit.create(CONTROLLERREVISIONS, strangeRevision(status!.updateRevision!));
      await rollOutSet(kit, { replicas: 1 });
    },
  },
];

export const STATEFULSET_SCENARIOS: readonly Scenario[] = [
  ...SCALING,
  ...UPDATES,
  ...STATEFULSET_TROUBLE,
  ...CLAIMS_OF_SETS,
];

/** Where the gate MaxUnavailableStatefulSet is on. */
export const MAX_UNAVAILABLE_SCENARIOS: readonly Scenario[] = ["OrderedReady", "Parallel"].map((
  podManagementPolicy,
) => ({
  name: `sts-max-unavailable-${podManagementPolicy.toLowerCase()}`,
  run: async (kit) => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable: 2 } };
    await rollOutSet(kit, { replicas: 5, podManagementPolicy, updateStrategy });
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
