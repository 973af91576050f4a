/** Loads of many objects: none is large, but one item of a queue is about thousands. */
import {
  CONFIGMAPS,
  CRONJOBS,
  type DaemonSet,
  DAEMONSETS,
  type Deployment,
  DEPLOYMENTS,
  type Job,
  JOBS,
  NAMESPACES,
  NODES,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICASETS,
  type ResourceQuota,
  RESOURCEQUOTAS,
  type StatefulSet,
  STATEFULSETS,
} from "../../../src/api/mod.ts";
import type { Client } from "../../../src/client/mod.ts";
import { orphanPod, podTemplate } from "../../scenarios/kit.ts";
import { each, numbered } from "./large_parts.ts";
import type { PauseLoad } from "./load.ts";

const APPS = "apps/v1";
const matchApp = { matchLabels: { app: "big" } };

function orphans(client: Client, namespace: string, count: number, prefix = "p"): Promise<void> {
  return each(count, (i) => client.create(PODS, orphanPod(`${prefix}${i}`, "big"), { namespace }));
}

function createNodes(client: Client, prefix: string, count: number): Promise<void> {
  return each(
    count,
    (i) => client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: `${prefix}-${i}` } }),
  );
}

function endingJob(name: string, spec: Partial<Job["spec"]>): Job {
  const template = { ...podTemplate("j"), spec: { ...podTemplate("j").spec!, restartPolicy: "Never" } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}

export const CROWD_LOADS: readonly PauseLoad[] = [
  {
    name: "crowd: a namespace of 20,000 ConfigMaps ends",
    async run(client, namespace) {
      await each(20_000, (i) => client.create(CONFIGMAPS, { metadata: { name: `c${i}` } }, { namespace }));
      await client.delete(NAMESPACES, { name: namespace });
    },
  },
  ...(["Background", "Foreground"] as const).map((propagationPolicy): PauseLoad => ({
    name: `crowd: an owner of 20,000 ends, ${propagationPolicy}`,
    async run(client, namespace) {
      const { metadata } = await client.create(CONFIGMAPS, { metadata: { name: "owner" } }, { namespace });
      const owner = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "owner",
        uid: metadata!.uid!,
        blockOwnerDeletion: true,
      };
      const create = (i: number) =>
        client.create(CONFIGMAPS, { metadata: { name: `c${i}`, ownerReferences: [owner] } }, { namespace });
      await each(20_000, create);
      await client.delete(CONFIGMAPS, { namespace, name: "owner" }, { propagationPolicy });
    },
  })),
  {
    name: "crowd: a DaemonSet on 5,000 nodes",
    afterMs: 45_000,
    async run(client, namespace) {
      await createNodes(client, namespace, 5000);
      const spec: DaemonSet["spec"] = { selector: matchApp, template: podTemplate("big") };
      await client.create(DAEMONSETS, { apiVersion: APPS, kind: "DaemonSet", metadata: { name: "d" }, spec }, {
        namespace,
      });
    },
  },
  {
    name: "crowd: a budget of 10,000 pods",
    async run(client, namespace) {
      await orphans(client, namespace, 10_000);
      const budget = { metadata: { name: "b" }, spec: { selector: matchApp, minAvailable: 1 } };
      await client.create(PODDISRUPTIONBUDGETS, budget, { namespace });
    },
  },
  {
    name: "crowd: 2,000 budgets over each of 500 pods",
    async run(client, namespace) {
      const budget = (i: number) => ({ metadata: { name: `b${i}` }, spec: { selector: matchApp, minAvailable: 1 } });
      await each(2000, (i) => client.create(PODDISRUPTIONBUDGETS, budget(i), { namespace }));
      await orphans(client, namespace, 500);
    },
  },
  {
    name: "crowd: a ReplicaSet adopts 10,000 pods and removes them",
    afterMs: 20_000,
    async run(client, namespace) {
      await orphans(client, namespace, 10_000);
      const spec = { replicas: 1, selector: matchApp, template: podTemplate("big") };
      await client.create(REPLICASETS, { apiVersion: APPS, kind: "ReplicaSet", metadata: { name: "s" }, spec }, {
        namespace,
      });
    },
  },
  {
    name: "crowd: a StatefulSet adopts 5,000 pods",
    afterMs: 20_000,
    async run(client, namespace) {
      await orphans(client, namespace, 5000, "s-");
      const spec: StatefulSet["spec"] = {
        replicas: 5000,
        selector: matchApp,
        template: podTemplate("big"),
        serviceName: "none",
        podManagementPolicy: "Parallel",
      };
      await client.create(STATEFULSETS, { apiVersion: APPS, kind: "StatefulSet", metadata: { name: "s" }, spec }, {
        namespace,
      });
    },
  },
  {
    name: "crowd: a Deployment beside 10,000 ReplicaSets",
    async run(client, namespace) {
      await each(10_000, (i) => {
        const template = podTemplate("big");
        template.metadata.labels.set = `s${i}`;
        const selector = { matchLabels: { app: "big", set: `s${i}` } };
        const metadata = { name: `s${i}`, labels: { app: i % 2 ? "big" : "other" } };
        const spec = { replicas: 0, selector, template };
        return client.create(REPLICASETS, { apiVersion: APPS, kind: "ReplicaSet", metadata, spec }, { namespace });
      });
      const spec: Deployment["spec"] = { replicas: 1, selector: matchApp, template: podTemplate("big") };
      await client.create(DEPLOYMENTS, { apiVersion: APPS, kind: "Deployment", metadata: { name: "d" }, spec }, {
        namespace,
      });
    },
  },
  {
    name: "crowd: a Job of 5,000 pods at once, then suspended",
    afterMs: 20_000,
    async run(client, namespace) {
      const wide = { completionMode: "Indexed", completions: 100_000, parallelism: 5000 };
      await client.create(JOBS, endingJob("wide", wide), { namespace });
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      await client.patch(JOBS, { namespace, name: "wide" }, { type: "merge", body: { spec: { suspend: true } } });
    },
  },
  {
    name: "crowd: a Job whose every second index of 100,000 failed",
    async run(client, namespace) {
      const spec = { completionMode: "Indexed", completions: 100_000, parallelism: 100, backoffLimitPerIndex: 0 };
      await client.create(JOBS, endingJob("j", spec), { namespace });
      const every = (first: number) => Array.from({ length: 25_000 }, (_, i) => 4 * i + first).join(",");
      const status = { completedIndexes: every(0), failedIndexes: every(2), succeeded: 25_000, failed: 25_000 };
      const type = "merge";
      await client.patch(JOBS, { namespace, name: "j" }, { type, subresource: "status", body: { status } });
    },
  },
  {
    name: "crowd: 5,000 Jobs of a CronJob",
    async run(client, namespace) {
      const jobTemplate = { spec: endingJob("t", {}).spec };
      const spec = { schedule: "0 0 1 1 *", jobTemplate };
      const { metadata } = await client.create(CRONJOBS, { metadata: { name: "cron" }, spec }, { namespace });
      const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "cron", uid: metadata!.uid!, controller: true };
      await each(5000, (i) => {
        const job = endingJob(`j${i}`, { suspend: true, ttlSecondsAfterFinished: 1 });
        job.metadata!.ownerReferences = [owner];
        return client.create(JOBS, job, { namespace });
      });
    },
  },
  {
    name: "crowd: 20 quotas of 10,000 ConfigMaps and 3,000 pods",
    async run(client, namespace) {
      await each(10_000, (i) => client.create(CONFIGMAPS, { metadata: { name: `c${i}` } }, { namespace }));
      await orphans(client, namespace, 3000);
      await each(20, (i) => {
        const hard = { "count/configmaps": "90000", pods: "9000", "requests.cpu": "9" };
        const quota: ResourceQuota = { metadata: { name: `q${i}` }, spec: { hard } };
        return client.create(RESOURCEQUOTAS, quota, { namespace });
      });
    },
  },
  {
    name: "crowd: 8,000 pods of nodes that do not exist",
    afterMs: 50_000,
    async run(client, namespace) {
      await each(8000, (i) => {
        const pod = orphanPod(`p${i}`, "big");
        pod.spec = { ...pod.spec!, nodeName: `gone-${i}` };
        return client.create(PODS, pod, { namespace });
      });
    },
  },
  {
    name: "crowd: objects of 5,000 finalizers",
    async run(client, namespace) {
      const finalizers = numbered("example.com/f", 5000);
      const names = numbered("c", 6);
      for (const name of names) await client.create(CONFIGMAPS, { metadata: { name, finalizers } }, { namespace });
      const pod = orphanPod("p", "big");
      pod.metadata!.finalizers = finalizers;
      await client.create(PODS, pod, { namespace });
      for (const propagationPolicy of ["Foreground", "Orphan"] as const) {
        await each(6, (i) => client.delete(CONFIGMAPS, { namespace, name: names[i] }, { propagationPolicy }));
      }
      await client.delete(PODS, { namespace, name: "p" });
      await client.delete(NAMESPACES, { name: namespace });
    },
  },
];
