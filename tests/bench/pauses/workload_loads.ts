import {
  type CronJob,
  CRONJOBS,
  type DaemonSet,
  DAEMONSETS,
  type Deployment,
  DEPLOYMENTS,
  type Job,
  JOBS,
  type Node,
  NODES,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  type StatefulSet,
  STATEFULSETS,
} from "../../../src/api/mod.ts";
import { orphanPod, podTemplate } from "../../scenarios/kit.ts";
import { each, largeSelector, largeTemplate, manyAnnotations, numbered } from "./large_parts.ts";
import type { PauseLoad } from "./load.ts";

const APPS = "apps/v1";
const matchApp = { matchLabels: { app: "big" } };

export const WORKLOAD_LOADS: readonly PauseLoad[] = [
  {
    name: "deployment: large templates and annotations, three rollouts",
    async run(client, namespace) {
      for (let i = 0; i < 3; i++) {
        const selector = { matchLabels: { app: `big${i}` } };
        const spec: Deployment["spec"] = { replicas: 3, selector, template: largeTemplate(`big${i}`) };
        const metadata = { name: `big${i}`, annotations: manyAnnotations() };
        await client.create(DEPLOYMENTS, { apiVersion: APPS, kind: "Deployment", metadata, spec }, { namespace });
      }
      for (let rollout = 0; rollout < 3; rollout++) {
        const body = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: `nginx:${rollout + 2}` }];
        await each(3, (i) => client.patch(DEPLOYMENTS, { namespace, name: `big${i}` }, { type: "json", body }));
      }
    },
  },
  {
    name: "deployment: eight ReplicaSets whose large templates differ at their ends",
    async run(client, namespace) {
      for (let i = 0; i < 8; i++) {
        const template = largeTemplate("big");
        template.metadata!.labels!.set = `s${i}`;
        template.spec!.containers[0].env!.push({ name: "LAST", value: `${i}` });
        const selector = { matchLabels: { app: "big", set: `s${i}` } };
        const metadata = { name: `s${i}`, labels: { app: "big" } };
        const set: ReplicaSet = {
          apiVersion: APPS,
          kind: "ReplicaSet",
          metadata,
          spec: { replicas: 0, selector, template },
        };
        await client.create(REPLICASETS, set, { namespace });
      }
      const spec = { replicas: 1, selector: matchApp, template: largeTemplate("big") };
      const owner: Deployment = { apiVersion: APPS, kind: "Deployment", metadata: { name: "big" }, spec };
      await client.create(DEPLOYMENTS, owner, { namespace });
    },
  },
  {
    name: "deployment: 1,500 ReplicaSets to adopt",
    async run(client, namespace) {
      await each(1500, (i) => {
        const selector = { matchLabels: { app: "big", set: `s${i}` } };
        const template = podTemplate("big");
        template.metadata.labels.set = `s${i}`;
        const metadata = { name: `s${i}`, labels: { app: "big" } };
        const set: ReplicaSet = {
          apiVersion: APPS,
          kind: "ReplicaSet",
          metadata,
          spec: { replicas: 0, selector, template },
        };
        return client.create(REPLICASETS, set, { namespace });
      });
      const spec = { replicas: 1, selector: matchApp, template: podTemplate("big") };
      const owner: Deployment = { apiVersion: APPS, kind: "Deployment", metadata: { name: "big" }, spec };
      await client.create(DEPLOYMENTS, owner, { namespace });
    },
  },
  {
    name: "replicaset: 2,000 pods to adopt, selectors of 20,000 values",
    async run(client, namespace) {
      await each(2000, (i) => client.create(PODS, orphanPod(`p${i}`, "big"), { namespace }));
      for (let i = 0; i < 3; i++) {
        const spec = { replicas: 1, selector: largeSelector("big"), template: podTemplate("big") };
        const set: ReplicaSet = { apiVersion: APPS, kind: "ReplicaSet", metadata: { name: `s${i}` }, spec };
        await client.create(REPLICASETS, set, { namespace });
      }
    },
  },
  {
    name: "replicaset: 1,000 sets and 500 pods that none of them takes",
    async run(client, namespace) {
      await each(1000, (i) => {
        const selector = { matchExpressions: [{ key: "app", operator: "In", values: numbered(`v${i}-`, 200) }] };
        const template = podTemplate(`v${i}-0`);
        const metadata = { name: `s${i}` };
        const set: ReplicaSet = {
          apiVersion: APPS,
          kind: "ReplicaSet",
          metadata,
          spec: { replicas: 0, selector, template },
        };
        return client.create(REPLICASETS, set, { namespace });
      });
      await each(500, (i) => client.create(PODS, orphanPod(`p${i}`, "none"), { namespace }));
    },
  },
  {
    name: "replicaset: 2,000,000,000 replicas",
    async run(client, namespace) {
      const spec = { replicas: 2_000_000_000, selector: matchApp, template: podTemplate("big") };
      const set: ReplicaSet = { apiVersion: APPS, kind: "ReplicaSet", metadata: { name: "s" }, spec };
      await client.create(REPLICASETS, set, { namespace });
    },
  },
  ...(["OrderedReady", "Parallel"] as const).map((podManagementPolicy): PauseLoad => ({
    name: `statefulset: 2,000,000,000 replicas, ${podManagementPolicy}, large template`,
    async run(client, namespace) {
      const template = largeTemplate("big");
      const spec: StatefulSet["spec"] = {
        replicas: 2_000_000_000,
        selector: matchApp,
        template,
        serviceName: "none",
        podManagementPolicy,
      };
      const set: StatefulSet = { apiVersion: APPS, kind: "StatefulSet", metadata: { name: "s" }, spec };
      await client.create(STATEFULSETS, set, { namespace });
    },
  })),
  {
    name: "daemonset: 500 nodes, an affinity of 10,000 values",
    async run(client, namespace) {
      await each(500, (i) => {
        const node: Node = {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: `${namespace}-${i}`, labels: { at: `v${i}` } },
        };
        return client.create(NODES, node);
      });
      const template = podTemplate("big");
      const matchExpressions = [{ key: "at", operator: "NotIn", values: numbered("some-other-node-", 10_000) }];
      const nodeSelectorTerms = Array.from({ length: 2 }, () => ({ matchExpressions }));
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      template.spec = { ...template.spec!, affinity: { nodeAffinity } };
      const set: DaemonSet = {
        apiVersion: APPS,
        kind: "DaemonSet",
        metadata: { name: "d" },
        spec: { selector: matchApp, template },
      };
      await client.create(DAEMONSETS, set, { namespace });
    },
  },
  {
    name: "statefulset: 500 pods at once, of 2,000 volumes",
    async run(client, namespace) {
      const template = podTemplate("big");
      const volumes = numbered("v", 2000).map((name) => ({ name, emptyDir: {} }));
      template.spec = { ...template.spec!, volumes };
      const claim = {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
      };
      const spec: StatefulSet["spec"] = {
        replicas: 500,
        selector: matchApp,
        template,
        serviceName: "none",
        podManagementPolicy: "Parallel",
        volumeClaimTemplates: [claim],
      };
      const set: StatefulSet = { apiVersion: APPS, kind: "StatefulSet", metadata: { name: "s" }, spec };
      await client.create(STATEFULSETS, set, { namespace });
    },
  },
  {
    name: "daemonset: 300 nodes with taints, 8,000 tolerations",
    async run(client, namespace) {
      await each(300, (i) => {
        const taints = numbered("taint", 20).map((key) => ({ key, effect: "NoSchedule" }));
        const metadata = { name: `${namespace}-${i}` };
        return client.create(NODES, { apiVersion: "v1", kind: "Node", metadata, spec: { taints } });
      });
      const template = podTemplate("big");
      const tolerations = [
        ...numbered("other", 8000).map((key) => ({ key, operator: "Exists" })),
        ...numbered("taint", 20).map((key) => ({ key, operator: "Exists" })),
      ];
      template.spec = { ...template.spec!, tolerations };
      const set: DaemonSet = {
        apiVersion: APPS,
        kind: "DaemonSet",
        metadata: { name: "d" },
        spec: { selector: matchApp, template },
      };
      await client.create(DAEMONSETS, set, { namespace });
    },
  },
  {
    name: "job: 1,000,000,000 completions, and status indexes of 1 MB",
    async run(client, namespace) {
      const template = { ...podTemplate("j"), spec: { ...podTemplate("j").spec!, restartPolicy: "Never" } };
      const job = (name: string, spec: Job["spec"]): Job => ({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name },
        spec,
      });
      const many = job("many", { completions: 1_000_000_000, parallelism: 1_000_000_000, template });
      await client.create(JOBS, many, { namespace });
      const indexed = { completionMode: "Indexed", completions: 100_000, parallelism: 10, template };
      const made = await client.create(JOBS, job("indexed", indexed), { namespace });
      const completedIndexes = Array.from({ length: 50_000 }, (_, i) => 2 * i).join(",");
      await client.patch(JOBS, { namespace, name: made.metadata!.name! }, {
        type: "merge",
        subresource: "status",
        body: { status: { completedIndexes, succeeded: 50_000 } },
      });
      const backoff = { ...indexed, backoffLimitPerIndex: 1, parallelism: 10, completions: 100_000 };
      await client.create(JOBS, job("per-index", { ...backoff, maxFailedIndexes: 5 }), { namespace });
    },
  },
  {
    name: "cronjob: decades missed, schedules that never come, large templates",
    async run(client, namespace) {
      const template = largeTemplate("cron", { variables: 5000 });
      template.spec!.restartPolicy = "Never";
      const every = numbered("", 60).join(",");
      const schedules = ["* * * * *", `${every} ${numbered("", 24).join(",")} * * *`, "0 0 30 2 *", "0 0 29 2 1"];
      for (const [i, schedule] of schedules.entries()) {
        const spec: CronJob["spec"] = { schedule, timeZone: "America/Sao_Paulo", jobTemplate: { spec: { template } } };
        const cron: CronJob = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: `c${i}` }, spec };
        await client.create(CRONJOBS, cron, { namespace });
        const body = { status: { lastScheduleTime: "1970-01-01T00:00:00Z" } };
        await client.patch(CRONJOBS, { namespace, name: `c${i}` }, { type: "merge", subresource: "status", body });
      }
    },
  },
];
