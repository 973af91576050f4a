/** Pods that nobody else will end, on any server and under either manager. */
import { NODES, type Pod, PODS } from "../../src/api/mod.ts";
import { patchPodStatus } from "./disruption_kit.ts";
import { type Kit, orphanPod } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

/** Holds a pod that is deleted, so that it can be seen what became of it. */
const HOLD = "example.com/hold";

/** Makes a pod that kube-scheduler does not touch. */
export async function createPod(
  kit: Kit,
  name: string,
  { held = true, ...spec }: Partial<Pod["spec"]> & { held?: boolean } = {},
) {
  const pod = orphanPod(name, "a");
  const metadata = { ...pod.metadata, finalizers: held ? [HOLD] : undefined };
  await kit.create(PODS, { ...pod, metadata, spec: { ...pod.spec!, schedulerName: "nobody", ...spec } });
}

/** Waits until the pod, which is held, has failed and is deleted without grace. */
export async function failed(kit: Kit, name: string): Promise<void> {
  await kit.until(
    PODS,
    name,
    "has failed and is being deleted",
    ({ metadata, status }) =>
      status?.phase === "Failed" && metadata?.deletionTimestamp && metadata.deletionGracePeriodSeconds === 0,
  );
}

export const POD_GC_SCENARIOS: readonly Scenario[] = [
  {
    name: "podgc-never-bound",
    run: async (kit) => {
      await createPod(kit, "p");
      await createPod(kit, "kept");
      await kit.delete(PODS, "p");
      await failed(kit, "p");
    },
  },
  {
    name: "podgc-node-gone",
    run: async (kit) => {
      await createPod(kit, "p", { nodeName: "never-was" });
      await createPod(kit, "ended", { nodeName: "never-was", held: false });
      await patchPodStatus(kit, "ended", { phase: "Succeeded" });
      await failed(kit, "p");
      await kit.untilGone(PODS, "ended");
    },
  },
  {
    name: "podgc-out-of-service",
    run: async (kit) => {
      const name = `${kit.namespace}-broken`;
      const taints = [{ key: "node.kubernetes.io/out-of-service", value: "x", effect: "NoExecute" }];
      await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { taints } });
      // Nobody else is to delete them.
      const tolerations = [{ operator: "Exists" }];
      await createPod(kit, "p", { nodeName: name, tolerations });
      await createPod(kit, "kept", { nodeName: name, tolerations });
      await kit.delete(PODS, "p");
      await failed(kit, "p");
    },
  },
];

/** For a manager that lets one ended pod stay. */
export const TERMINATED_POD_SCENARIOS: readonly Scenario[] = [
  {
    name: "podgc-too-many",
    run: async (kit) => {
      for (const name of ["a", "b", "c"]) {
        await createPod(kit, name, { held: false });
        await patchPodStatus(kit, name, { phase: name === "b" ? "Succeeded" : "Failed" });
      }
      await kit.untilAll(
        PODS,
        "only the last is left",
        (pods) => pods.map(({ metadata }) => metadata?.name).join() === "c",
      );
    },
  },
];
