/** What becomes of workloads whose pods were on a node that is gone for good. */
import {
  type Job,
  JOBS,
  NODES,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { job, podsSettled } from "./job_kit.ts";
import { type Kit, replicaSet } from "./kit.ts";
import { replicationController } from "./replication_scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { statefulSet } from "./set_kit.ts";

/** Makes a node, binds the pods of the namespace to it, which nobody else will, and takes it away. */
async function loseNode(kit: Kit, count: number): Promise<void> {
  const node = `${kit.namespace}-lost`;
  await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: node } });
  const pods = await kit.untilAll(PODS, `are ${count}`, (pods) => pods.length === count);
  for (const { metadata } of pods) {
    const name = metadata!.name!;
    const target = { apiVersion: "v1", kind: "Node", name: node };
    const body = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace: kit.namespace }, target };
    await kit.client.createSubresource(PODS, { namespace: kit.namespace, name }, { subresource: "binding", body });
  }
  await kit.client.delete(NODES, { name: node });
  await kit.untilAll(PODS, "are all new", (now) => now.length === count && now.every(isUnbound));
}

function isUnbound({ metadata, spec }: Pod): boolean {
  return !spec?.nodeName && !metadata?.deletionTimestamp;
}

function hasOnly({ status }: Pick<ReplicaSet, "status">, replicas: number): boolean {
  return status?.replicas === replicas && !status.terminatingReplicas;
}

/** Leaves pods to {@link loseNode} alone. */
function unscheduled<T extends { spec?: unknown }>(template: T): T {
  return { ...template, spec: { ...template.spec as object, schedulerName: "nobody" } };
}

export const NODE_LOSS_SCENARIOS: readonly Scenario[] = [
  {
    name: "node-lost-with-sets",
    run: async (kit) => {
      const { spec: set } = statefulSet("a", { replicas: 2, podManagementPolicy: "Parallel" });
      await kit.create(STATEFULSETS, { ...statefulSet("a"), spec: { ...set!, template: unscheduled(set!.template) } });
      const { spec: replicas } = replicaSet("b", { replicas: 2 });
      const template = unscheduled(replicas!.template!);
      await kit.create(REPLICASETS, { ...replicaSet("b"), spec: { ...replicas!, template } });
      const { template: controlled } = replicationController("c").spec!;
      const options = { replicas: 1, template: unscheduled(controlled!) };
      await kit.create(REPLICATIONCONTROLLERS, replicationController("c", options));
      await loseNode(kit, 5);
      await kit.until(
        STATEFULSETS,
        "a",
        "has counted",
        ({ status }) => status?.replicas === 2 && !status.readyReplicas,
      );
      await kit.until(REPLICASETS, "b", "has counted", (set) => hasOnly(set, 2));
      await kit.until(REPLICATIONCONTROLLERS, "c", "has counted", (set) => hasOnly(set, 1));
    },
    eventsDiffer: "a StatefulSet may see a pod fail before it is gone, and then deletes it, too",
  },
  {
    name: "node-lost-with-a-job",
    run: async (kit) => {
      const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }];
      const template = unscheduled(job("a").spec!.template);
      const spec = { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimit: 0, template };
      await kit.create(JOBS, job("a", { ...spec, podFailurePolicy: { rules } }));
      await loseNode(kit, 2);
      await podsSettled(kit);
      const isSettled = ({ status }: Job) => status?.active === 2 && !status.terminating && !status.failed;
      await kit.until(JOBS, "a", "has counted no failure", isSettled);
    },
  },
  {
    name: "node-lost-with-a-job-that-fails",
    run: async (kit) => {
      const template = unscheduled(job("a").spec!.template);
      await kit.create(JOBS, job("a", { completions: 2, parallelism: 1, backoffLimit: 2, template }));
      await loseNode(kit, 1);
      await podsSettled(kit);
      const isSettled = ({ status }: Job) => status?.active === 1 && !status.terminating && status.failed === 1;
      await kit.until(JOBS, "a", "has counted it", isSettled);
    },
  },
];
