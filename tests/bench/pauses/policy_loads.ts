import {
  type AutoscalingV2HorizontalPodAutoscaler,
  CONFIGMAPS,
  HORIZONTALPODAUTOSCALERS,
  NAMESPACES,
  type PodDisruptionBudget,
  PODDISRUPTIONBUDGETS,
  PODS,
  type ReplicationController,
  REPLICATIONCONTROLLERS,
  type ResourceQuota,
  RESOURCEQUOTAS,
  SERVICEACCOUNTS,
} from "../../../src/api/mod.ts";
import { orphanPod, podTemplate } from "../../scenarios/kit.ts";
import { each, largeSelector, manyAnnotations, numbered } from "./large_parts.ts";
import type { PauseLoad } from "./load.ts";

export const POLICY_LOADS: readonly PauseLoad[] = [
  {
    name: "disruption: 20 budgets with selectors of 20,000 values over 1,000 pods",
    async run(client, namespace) {
      await each(1000, (i) => client.create(PODS, orphanPod(`p${i}`, "big"), { namespace }));
      for (let i = 0; i < 20; i++) {
        const budget: PodDisruptionBudget = {
          apiVersion: "policy/v1",
          kind: "PodDisruptionBudget",
          metadata: { name: `b${i}` },
          spec: { selector: largeSelector("big"), minAvailable: 1 },
        };
        await client.create(PODDISRUPTIONBUDGETS, budget, { namespace });
      }
    },
  },
  {
    name: "resourcequota: 5,000 kinds counted, 20 quotas, 1,000 pods",
    async run(client, namespace) {
      await each(1000, (i) => client.create(PODS, orphanPod(`p${i}`, "big"), { namespace }));
      const hard = Object.fromEntries(numbered("count/widgets", 5000).map((key) => [`${key}.example.com`, "1"]));
      await each(20, (i) => {
        const quota: ResourceQuota = {
          apiVersion: "v1",
          kind: "ResourceQuota",
          metadata: { name: `q${i}` },
          spec: { hard: { ...hard, pods: "9000", "requests.cpu": "9" } },
        };
        return client.create(RESOURCEQUOTAS, quota, { namespace });
      });
    },
  },
  {
    name: "resourcequota: a scope of 20,000 values over 1,000 pods",
    async run(client, namespace) {
      await each(1000, (i) => client.create(PODS, orphanPod(`p${i}`, "big"), { namespace }));
      const matchExpressions = [{ scopeName: "PriorityClass", operator: "NotIn", values: numbered("class-", 20_000) }];
      const quota: ResourceQuota = {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "q" },
        spec: { hard: { pods: "9000" }, scopeSelector: { matchExpressions } },
      };
      await client.create(RESOURCEQUOTAS, quota, { namespace });
    },
  },
  {
    name: "horizontalpodautoscaler: 2,000 metrics, 1,000 policies",
    afterMs: 20_000,
    async run(client, namespace) {
      const spec = { replicas: 1, selector: { app: "big" }, template: podTemplate("big") };
      const target: ReplicationController = {
        apiVersion: "v1",
        kind: "ReplicationController",
        metadata: { name: "t" },
        spec,
      };
      await client.create(REPLICATIONCONTROLLERS, target, { namespace });
      const policies = Array.from({ length: 1000 }, () => ({ type: "Pods", value: 1, periodSeconds: 60 }));
      const metrics = numbered("m", 2000).map((name) => ({
        type: "Pods",
        pods: { metric: { name }, target: { type: "AverageValue", averageValue: "1" } },
      }));
      const scaler: AutoscalingV2HorizontalPodAutoscaler = {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "h", annotations: manyAnnotations() },
        spec: {
          scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "t" },
          maxReplicas: 100,
          metrics,
          behavior: { scaleUp: { policies }, scaleDown: { policies } },
        },
      };
      await client.create(HORIZONTALPODAUTOSCALERS, scaler, { namespace });
    },
  },
  {
    name: "namespace: 5,000 objects, and a ConfigMap kube-root-ca.crt of 1 MB",
    async run(client, namespace) {
      const name = `${namespace}-ended`;
      await client.create(NAMESPACES, { metadata: { name, annotations: manyAnnotations() } });
      await each(5000, (i) => client.create(SERVICEACCOUNTS, { metadata: { name: `s${i}` } }, { namespace: name }));
      const data = Object.fromEntries(numbered("key", 20_000).map((key) => [key, "x".repeat(30)]));
      const body = { metadata: { name: "kube-root-ca.crt" }, data };
      await client.patch(CONFIGMAPS, { namespace: name, name: "kube-root-ca.crt" }, { type: "merge", body }).catch(
        () => {},
      );
      await client.delete(NAMESPACES, { name });
    },
  },
];
