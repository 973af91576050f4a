/** What a user does with ReplicationControllers and what must come of it, on any server and under either manager. */
import {
  NAMESPACES,
  PODS,
  type ReplicationController,
  REPLICATIONCONTROLLERS,
  type ReplicationControllerSpec,
} from "../../src/api/mod.ts";
import { type Kit, orphanPod, podTemplate } from "./kit.ts";
import { limitPods } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";
import { settledPods } from "./set_kit.ts";

type Options = Partial<ReplicationControllerSpec>;

/** A ReplicationController of one nginx container. */
export function replicationController(name: string, { replicas = 3, ...spec }: Options = {}): ReplicationController {
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name },
    spec: { replicas, selector: { app: name }, template: podTemplate(name), ...spec },
  };
}

/** Waits until the ReplicationController `a` has its pods, and nothing of it is still ending. */
export async function settled(kit: Kit): Promise<void> {
  const isDone = ({ metadata, spec, status }: ReplicationController) =>
    status?.observedGeneration === metadata?.generation && (status?.replicas ?? 0) === spec?.replicas &&
    (status?.availableReplicas ?? 0) === spec?.replicas;
  await kit.until(REPLICATIONCONTROLLERS, "a", "has its pods", isDone);
  await settledPods(kit);
  await kit.until(REPLICATIONCONTROLLERS, "a", "still has its pods", isDone);
}

async function create(kit: Kit, options: Options = {}): Promise<void> {
  await kit.create(REPLICATIONCONTROLLERS, replicationController("a", options));
  await settled(kit);
}

export const REPLICATION_SCENARIOS: readonly Scenario[] = [
  {
    name: "rc-scale",
    run: async (kit) => {
      await create(kit);
      for (const replicas of [5, 1, 0]) {
        await kit.merge(REPLICATIONCONTROLLERS, "a", { spec: { replicas } });
        await settled(kit);
      }
    },
  },
  {
    name: "rc-adopts",
    run: async (kit) => {
      await kit.create(PODS, orphanPod("orphan", "a"));
      await create(kit, { replicas: 2 });
    },
  },
  {
    name: "rc-releases",
    run: async (kit) => {
      await create(kit, { replicas: 2 });
      const [{ metadata }] = await kit.list(PODS);
      await kit.merge(PODS, metadata!.name!, { metadata: { labels: { app: "b" } } });
      await kit.untilAll(PODS, "are three", (pods) => pods.length === 3);
      await settled(kit);
    },
  },
  {
    name: "rc-template-changed",
    run: async (kit) => {
      await create(kit, { replicas: 2 });
      const containers = [{ name: "c", image: "nginx:2" }];
      await kit.merge(REPLICATIONCONTROLLERS, "a", { spec: { template: { spec: { containers } } } });
      await settled(kit);
    },
  },
  { name: "rc-min-ready-seconds", run: (kit) => create(kit, { replicas: 2, minReadySeconds: 2 }) },
  {
    name: "rc-orphaned",
    run: async (kit) => {
      await create(kit, { replicas: 2 });
      await kit.delete(REPLICATIONCONTROLLERS, "a", "Orphan");
      await kit.untilGone(REPLICATIONCONTROLLERS, "a");
      await kit.untilAll(PODS, "have no owner", (pods) => pods.every((pod) => !pod.metadata?.ownerReferences));
    },
  },
  {
    name: "rc-quota",
    run: async (kit) => {
      await limitPods(kit, 1);
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", { replicas: 2 }));
      await kit.until(
        REPLICATIONCONTROLLERS,
        "a",
        "says what failed",
        ({ status }) => status?.availableReplicas === 1 && status.conditions?.[0]?.reason === "FailedCreate",
      );
    },
  },
  {
    name: "rc-no-account",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, serviceAccountName: "missing" };
      const options = { replicas: 2, template: { ...template, spec } };
      await kit.create(REPLICATIONCONTROLLERS, replicationController("a", options));
      await kit.until(
        REPLICATIONCONTROLLERS,
        "a",
        "says what failed",
        ({ status }) => status?.conditions?.[0]?.reason === "FailedCreate",
      );
    },
  },
  {
    name: "rc-namespace-deleted",
    run: async (kit) => {
      await create(kit, { replicas: 2 });
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];
