/** What a user does with ReplicaSets and what must come of it. */
import { PODS, REPLICASETS } from "../../src/api/mod.ts";
import { type Kit, orphanPod, replicaSet } from "./kit.ts";
import { limitPods } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";

async function untilReady(kit: Kit, count: number): Promise<void> {
  await kit.until(REPLICASETS, "a", "is ready", ({ status }) => status?.availableReplicas === count);
}

export const REPLICASET_SCENARIOS: readonly Scenario[] = [
  {
    name: "replicaset",
    run: async (kit) => {
      await kit.create(REPLICASETS, replicaSet("a"));
      await untilReady(kit, 3);
    },
  },
  {
    name: "replicaset-scale-down",
    run: async (kit) => {
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 4 }));
      await untilReady(kit, 4);
      await kit.merge(REPLICASETS, "a", { spec: { replicas: 1 } });
      await kit.until(
        REPLICASETS,
        "a",
        "has one",
        (s) => s.status?.replicas === 1 && s.status.terminatingReplicas === 0,
      );
      await kit.settled();
    },
  },
  {
    name: "replicaset-adopts",
    run: async (kit) => {
      await kit.create(PODS, orphanPod("orphan", "a"));
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 2 }));
      await untilReady(kit, 2);
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2);
    },
  },
  {
    name: "replicaset-releases",
    run: async (kit) => {
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 2 }));
      await untilReady(kit, 2);
      const [pod] = await kit.list(PODS);
      await kit.merge(PODS, pod.metadata!.name!, { metadata: { labels: { app: "released" } } });
      await kit.untilAll(
        PODS,
        "are three, one released",
        (pods) => pods.length === 3 && pods.filter((p) => !p.metadata?.ownerReferences).length === 1,
      );
      await untilReady(kit, 2);
      await kit.settled();
    },
  },
  {
    name: "replicaset-pod-deleted",
    run: async (kit) => {
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 2 }));
      await untilReady(kit, 2);
      const [pod] = await kit.list(PODS);
      await kit.delete(PODS, pod.metadata!.name!);
      await kit.untilGone(PODS, pod.metadata!.name!);
      await untilReady(kit, 2);
      await kit.settled();
    },
  },
  {
    name: "replicaset-refused-by-quota",
    run: async (kit) => {
      await limitPods(kit, 0);
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 1 }));
      await kit.until(
        REPLICASETS,
        "a",
        "says why",
        (s) => s.status?.conditions?.some((c) => c.type === "ReplicaFailure"),
      );
    },
  },
];
