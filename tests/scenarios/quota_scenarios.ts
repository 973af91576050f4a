/** What a user does with quotas and what must come of it, on any server and under either manager. */
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  REPLICASETS,
  type ResourceQuota,
  RESOURCEQUOTAS,
  SECRETS,
  SERVICES,
} from "../../src/api/mod.ts";
import { deployment, type Kit, replicaSet } from "./kit.ts";
import { COUNTED_KIND_SCENARIOS } from "./quota_kinds_scenarios.ts";
import { QUOTA_LIFE_SCENARIOS } from "./quota_life_scenarios.ts";
import {
  asking,
  claim,
  limit,
  pod,
  removeClaim,
  removePod,
  service,
  untilCounted,
  untilCountIsSeen,
  untilUsed,
} from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";

const SMALL = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "128Mi" } };

/** Makes pods and waits until they run: that they came up must not happen behind what follows. */
async function run(kit: Kit, ...pods: Pod[]): Promise<void> {
  for (const each of pods) await kit.create(PODS, each);
  const names = pods.map(({ metadata }) => metadata?.name);
  const isUp = ({ metadata, status }: Pod) => !names.includes(metadata?.name) || status?.phase !== "Pending";
  await kit.untilAll(PODS, "have come up", (all) => all.every(isUp));
}

const COMPUTE: readonly Scenario[] = [
  {
    name: "quota-compute",
    run: async (kit) => {
      const hard = {
        pods: "5",
        "count/pods": "9",
        cpu: "3",
        "requests.cpu": "3",
        "limits.cpu": "3",
        memory: "1Gi",
        "requests.memory": "1Gi",
        "limits.memory": "1Gi",
      };
      await limit(kit, { hard });
      await run(kit, pod("x", SMALL), pod("y", SMALL));
      await removePod(kit, "x");
      await untilUsed(kit, {
        pods: "1",
        "count/pods": "1",
        cpu: "100m",
        "requests.cpu": "100m",
        "limits.cpu": "200m",
        memory: "64Mi",
        "requests.memory": "64Mi",
        "limits.memory": "128Mi",
      });
    },
  },
  {
    name: "quota-of-what-was-there",
    run: async (kit) => {
      await run(kit, pod("x", SMALL), pod("y", SMALL));
      await limit(kit, { hard: { pods: "1", "requests.cpu": "100m", "requests.ephemeral-storage": "1Gi" } });
      await untilCounted(kit, { pods: "2", "requests.cpu": "200m", "requests.ephemeral-storage": "0" });
    },
  },
  {
    name: "quota-init-containers-and-sidecars",
    run: async (kit) => {
      await limit(kit, { hard: { "requests.cpu": "20", "requests.memory": "20Gi" } });
      const containers = [asking("c", { cpu: "10m", memory: "20Mi" }), asking("d", { cpu: "10m", memory: "20Mi" })];
      const first = asking("first", { cpu: "40m", memory: "10Mi" });
      const sidecar = asking("sidecar", { cpu: "5m", memory: "5Mi" }, { restartPolicy: "Always" });
      await run(
        kit,
        pod("x", { spec: { containers, initContainers: [first] } }),
        pod("y", { spec: { containers, initContainers: [sidecar, first] } }),
      );
      await untilCounted(kit, { "requests.cpu": "85m", "requests.memory": "85Mi" });
    },
  },
  {
    name: "quota-pod-level-resources",
    run: async (kit) => {
      await limit(kit, { hard: { "requests.cpu": "20", "limits.memory": "20Gi" } });
      const containers = [asking("c", { cpu: "10m" }), asking("d", { cpu: "10m" })];
      const resources = { requests: { cpu: "100m" }, limits: { cpu: "1", memory: "64Mi" } };
      await run(kit, pod("x", { spec: { containers, resources } }));
      await untilCounted(kit, { "requests.cpu": "100m", "limits.memory": "64Mi" });
    },
  },
  {
    name: "quota-extended-resources",
    run: async (kit) => {
      await limit(kit, { hard: { "requests.example.com/gpu": "4", "requests.hugepages-2Mi": "1Gi" } });
      const some = { cpu: "10m", "example.com/gpu": "2", "hugepages-2Mi": "4Mi" };
      await kit.create(PODS, pod("x", { requests: some, limits: { ...some, cpu: "20m" } }));
      await kit.create(PODS, pod("y", { requests: some, limits: { ...some, cpu: "20m" } }));
      await untilCountIsSeen(kit, { "requests.example.com/gpu": "4", "requests.hugepages-2Mi": "8Mi" });
      await removePod(kit, "x");
      await untilUsed(kit, { "requests.example.com/gpu": "2", "requests.hugepages-2Mi": "4Mi" });
    },
  },
  {
    name: "quota-pods-at-their-end",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "5", "count/pods": "5", "requests.cpu": "1" } });
      await run(
        kit,
        pod("x", { ...SMALL, spec: { restartPolicy: "Never" }, annotations: { "kubeloop.dev/run-for": "1s" } }),
        pod("y", SMALL),
      );
      await kit.until(PODS, "x", "has succeeded", ({ status }) => status?.phase === "Succeeded");
      await untilUsed(kit, { pods: "1", "count/pods": "2", "requests.cpu": "100m" });
    },
  },
  {
    name: "quota-exceeded",
    eventsDiffer: "how often the second one is refused depends on how long the others take",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "1" } });
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 2 }));
      await kit.until(
        REPLICASETS,
        "a",
        "says why",
        ({ status }) =>
          status?.availableReplicas === 1 && status.conditions?.some(({ type }) => type === "ReplicaFailure"),
      );
      await untilCounted(kit, { pods: "1" });
    },
  },
  {
    name: "quota-freed-by-deletion",
    eventsDiffer: "how often the second one is refused before there is room depends on when there is",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "2" } });
      await run(kit, pod("x"));
      await kit.create(REPLICASETS, replicaSet("a", { replicas: 2 }));
      await kit.until(REPLICASETS, "a", "has one pod", ({ status }) => status?.availableReplicas === 1);
      await removePod(kit, "x");
      await kit.until(
        REPLICASETS,
        "a",
        "has both pods",
        ({ status }) => status?.availableReplicas === 2 && !status.conditions?.length,
      );
      await untilCounted(kit, { pods: "2" });
    },
  },
  {
    name: "quota-raised",
    eventsDiffer: "how often pods are refused before there is room depends on when there is",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "1", "count/configmaps": "50" } });
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2 }));
      await kit.until(DEPLOYMENTS, "a", "has one pod", ({ status }) => status?.availableReplicas === 1);
      await kit.merge(RESOURCEQUOTAS, "a", { spec: { hard: { pods: "2", "count/configmaps": null, secrets: "3" } } });
      await kit.rolledOut("a");
      await untilCounted(kit, { pods: "2", secrets: "0" });
    },
  },
];

/** One quota a scope, and of the pods only those counted that are of it. */
async function scoped(
  kit: Kit,
  pods: Pod[],
  quotas: Readonly<Record<string, [ResourceQuota["spec"], string]>>,
): Promise<void> {
  await run(kit, ...pods);
  for (const [name, [spec]] of Object.entries(quotas)) await limit(kit, { hard: { pods: "9" }, ...spec }, name);
  for (const [name, [, used]] of Object.entries(quotas)) await untilCounted(kit, { pods: used }, name);
}

const selecting = (scopeName: string, operator: string, values?: string[]): ResourceQuota["spec"] => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, values }] },
});

const SCOPES: readonly Scenario[] = [
  {
    name: "quota-scopes-of-pods",
    run: (kit) =>
      scoped(kit, [
        pod("x"),
        pod("y", SMALL),
        pod("z", { ...SMALL, spec: { activeDeadlineSeconds: 3600 } }),
      ], {
        a: [{ scopes: ["BestEffort"] }, "1"],
        b: [{ scopes: ["NotBestEffort"] }, "2"],
        c: [{ scopes: ["Terminating"] }, "1"],
        d: [{ scopes: ["NotTerminating"] }, "2"],
        e: [{ scopes: ["NotBestEffort", "NotTerminating"] }, "1"],
        f: [selecting("BestEffort", "Exists"), "1"],
      }),
  },
  {
    name: "quota-scope-of-priority",
    run: (kit) =>
      scoped(
        kit,
        [pod("x"), pod("y", { spec: { priorityClassName: "system-node-critical" } })],
        {
          a: [selecting("PriorityClass", "Exists"), "1"],
          b: [selecting("PriorityClass", "DoesNotExist"), "1"],
          c: [selecting("PriorityClass", "In", ["system-node-critical"]), "1"],
          d: [selecting("PriorityClass", "NotIn", ["system-node-critical"]), "1"],
          e: [selecting("PriorityClass", "In", ["another"]), "0"],
          f: [{ scopes: ["PriorityClass"] }, "1"],
        },
      ),
  },
  {
    name: "quota-scope-of-affinity",
    run: (kit) => {
      const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "none" } } };
      const podAntiAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, namespaces: ["default"] }],
      };
      const crossing = pod("x", { spec: { affinity: { podAntiAffinity } } });
      return scoped(kit, [crossing, pod("y")], { a: [{ scopes: ["CrossNamespacePodAffinity"] }, "1"] });
    },
  },
  {
    name: "quota-scope-changes",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "9" }, scopes: ["NotTerminating"] });
      await limit(kit, { hard: { pods: "9" }, scopes: ["Terminating"] }, "b");
      await run(kit, pod("x"));
      await untilCountIsSeen(kit, { pods: "1" });
      await kit.merge(PODS, "x", { spec: { activeDeadlineSeconds: 3600 } });
      await untilUsed(kit, { pods: "0" });
      await untilUsed(kit, { pods: "1" }, "b");
    },
  },
];

const OBJECTS: readonly Scenario[] = [
  {
    name: "quota-object-counts",
    run: async (kit) => {
      const hard = {
        configmaps: "9",
        "count/configmaps": "9",
        secrets: "9",
        resourcequotas: "2",
        "count/deployments.apps": "2",
      };
      await limit(kit, { hard });
      for (const name of ["x", "y"]) {
        await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
        await kit.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name } });
      }
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 0 }));
      const used = {
        configmaps: "3",
        "count/configmaps": "3",
        secrets: "2",
        resourcequotas: "1",
        "count/deployments.apps": "1",
      };
      await untilCountIsSeen(kit, used);
      await kit.delete(SECRETS, "x");
      await kit.delete(CONFIGMAPS, "x");
      await untilUsed(kit, { ...used, configmaps: "2", "count/configmaps": "2", secrets: "1" });
    },
  },
  {
    name: "quota-services",
    run: async (kit) => {
      await limit(kit, {
        hard: { services: "9", "services.nodeports": "9", "services.loadbalancers": "9", "count/services": "9" },
      });
      const ports = [{ name: "a", port: 1 }, { name: "b", port: 2 }];
      await kit.create(SERVICES, service("x"));
      await kit.create(SERVICES, service("y", { type: "NodePort", ports }));
      await kit.create(SERVICES, service("z", { type: "LoadBalancer", ports }));
      await kit.create(SERVICES, service("w", { type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false }));
      await untilCounted(kit, {
        services: "4",
        "services.nodeports": "4",
        "services.loadbalancers": "2",
        "count/services": "4",
      });
      await kit.merge(SERVICES, "y", {
        spec: { type: "ClusterIP", ports: ports.map((port) => ({ ...port, nodePort: null })) },
      });
      await kit.delete(SERVICES, "z");
      await untilUsed(kit, {
        services: "3",
        "services.nodeports": "0",
        "services.loadbalancers": "1",
        "count/services": "3",
      });
    },
  },
  {
    name: "quota-no-scope-of-services",
    run: async (kit) => {
      await kit.create(SERVICES, service("x"));
      await limit(kit, { hard: { pods: "1" }, scopes: ["BestEffort"] });
      await limit(kit, { hard: { services: "1" } }, "b");
      await untilCounted(kit, { pods: "0" });
      await untilCounted(kit, { services: "1" }, "b");
    },
  },
  {
    name: "quota-claims",
    run: async (kit) => {
      const gold = "gold.storageclass.storage.k8s.io";
      const hard = {
        persistentvolumeclaims: "9",
        "requests.storage": "1Ti",
        [`${gold}/persistentvolumeclaims`]: "9",
        [`${gold}/requests.storage`]: "1Ti",
      };
      await limit(kit, { hard });
      await kit.create(PERSISTENTVOLUMECLAIMS, claim("x", "1Gi"));
      await kit.create(PERSISTENTVOLUMECLAIMS, claim("y", "10Gi", { storageClassName: "gold" }));
      await kit.create(PERSISTENTVOLUMECLAIMS, claim("z", "1500m", { storageClassName: "gold" }));
      await removeClaim(kit, "x");
      await untilUsed(kit, {
        persistentvolumeclaims: "2",
        "requests.storage": "10737418242",
        [`${gold}/persistentvolumeclaims`]: "2",
        [`${gold}/requests.storage`]: "10737418242",
      });
      await kit.merge(PERSISTENTVOLUMECLAIMS, "y", { status: { allocatedResources: { storage: "15Gi" } } }, "status");
      await removeClaim(kit, "z");
      await untilUsed(kit, {
        persistentvolumeclaims: "1",
        "requests.storage": "15Gi",
        [`${gold}/persistentvolumeclaims`]: "1",
        [`${gold}/requests.storage`]: "15Gi",
      });
    },
  },
  {
    name: "quota-of-unknown-things",
    run: async (kit) => {
      await limit(kit, { hard: { "count/things.example.com": "1", configmaps: "9" } });
      await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
      await untilCounted(kit, { configmaps: "2" });
    },
  },
  {
    name: "quota-wrong-usage-corrected",
    run: async (kit) => {
      await limit(kit, { hard: { configmaps: "9" } });
      await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
      await untilCountIsSeen(kit, { configmaps: "2" });
      await kit.merge(RESOURCEQUOTAS, "a", { status: { used: { configmaps: "7" } } }, "status");
      await kit.delete(CONFIGMAPS, "x");
      await untilUsed(kit, { configmaps: "1" });
    },
  },
];

export const QUOTA_SCENARIOS: readonly Scenario[] = [
  ...COMPUTE,
  ...SCOPES,
  ...OBJECTS,
  ...COUNTED_KIND_SCENARIOS,
  ...QUOTA_LIFE_SCENARIOS,
];
