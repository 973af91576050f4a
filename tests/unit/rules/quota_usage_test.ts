import { assertEquals } from "@std/assert";
import { amountsText, quotaEvaluator, quotaMatches, type QuotaScope } from "../../../src/rules/mod.ts";
import {
  CONFIGMAPS,
  type KubeObject,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type Resource,
  type ResourceQuota,
  SERVICES,
} from "../../../src/api/mod.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const RESOURCE_CLAIMS = { group: "resource.k8s.io", plural: "resourceclaims" };
const WIDGETS = { group: "example.com", plural: "widgets" };

type Kind = Pick<Resource, "group" | "plural">;
/** An object as a test writes it. */
// deno-lint-ignore no-explicit-any -- evaluators of many kinds are asked alike
type Loose = any;

const usage = (kind: Kind, object: Loose) => amountsText(quotaEvaluator(kind).usage(object as KubeObject, NOW_MS));
const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: "c",
  resources: { requests, limits },
});

const USAGES: readonly { readonly what: string; readonly kind: Kind; readonly object: Loose; readonly used: string }[] =
  [
    { what: "a pod that asks for nothing", kind: PODS, object: {}, used: "count/pods=1,pods=1" },
    {
      what: "what a pod asks for under both names",
      kind: PODS,
      object: { spec: { containers: [container({ cpu: "1", memory: "1Gi" }, { cpu: "2" })] } },
      used: "count/pods=1,cpu=1,limits.cpu=2,memory=1Gi,pods=1,requests.cpu=1,requests.memory=1Gi",
    },
    {
      what: "huge pages under both names, extended resources under one",
      kind: PODS,
      object: { spec: { containers: [container({ "hugepages-2Mi": "4Mi", "example.com/gpu": "1" })] } },
      used: "count/pods=1,hugepages-2Mi=4Mi,pods=1,requests.example.com/gpu=1,requests.hugepages-2Mi=4Mi",
    },
    {
      what: "a pod at its end as an object",
      kind: PODS,
      object: { status: { phase: "Failed" } },
      used: "count/pods=1",
    },
    {
      what: "a pod long past its grace period as an object",
      kind: PODS,
      object: { metadata: { deletionTimestamp: "2025-12-31T23:59:00Z", deletionGracePeriodSeconds: 30 } },
      used: "count/pods=1",
    },
    {
      what: "a pod within its grace period",
      kind: PODS,
      object: { metadata: { deletionTimestamp: "2025-12-31T23:59:50Z", deletionGracePeriodSeconds: 30 } },
      used: "count/pods=1,pods=1",
    },
    {
      what: "a service's ports that will be opened on nodes",
      kind: SERVICES,
      object: { spec: { type: "LoadBalancer", ports: [{ port: 1 }, { port: 2 }] } },
      used: "count/services=1,services=1,services.loadbalancers=1,services.nodeports=2",
    },
    {
      what: "only the ports that are wanted where none are allocated",
      kind: SERVICES,
      object: {
        spec: {
          type: "LoadBalancer",
          allocateLoadBalancerNodePorts: false,
          ports: [{ port: 1, nodePort: 30000 }, { port: 2 }],
        },
      },
      used: "count/services=1,services=1,services.loadbalancers=1,services.nodeports=1",
    },
    {
      what: "a claim by its class too, in whole bytes",
      kind: PERSISTENTVOLUMECLAIMS,
      object: { spec: { storageClassName: "gold", resources: { requests: { storage: "1500m" } } } },
      used: "count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1," +
        "gold.storageclass.storage.k8s.io/requests.storage=2,persistentvolumeclaims=1,requests.storage=2",
    },
    {
      what: "what is set aside for a claim where that is more than it asks for",
      kind: PERSISTENTVOLUMECLAIMS,
      object: {
        spec: { resources: { requests: { storage: "1Gi" } } },
        status: { allocatedResources: { storage: "2Gi" } },
      },
      used: "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=2Gi",
    },
    {
      what: "the most devices of each class that a claim can get",
      kind: RESOURCE_CLAIMS,
      object: {
        spec: {
          devices: {
            requests: [
              { name: "a", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 } },
              {
                name: "b",
                firstAvailable: [
                  { name: "x", deviceClassName: "gpu", allocationMode: "ExactCount", count: 3 },
                  { name: "y", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
                  { name: "z", deviceClassName: "nic", allocationMode: "All" },
                ],
              },
            ],
          },
        },
      },
      used: "count/resourceclaims.resource.k8s.io=1,gpu.deviceclass.resource.k8s.io/devices=5," +
        "nic.deviceclass.resource.k8s.io/devices=32",
    },
    { what: "old kinds under two names", kind: CONFIGMAPS, object: {}, used: "configmaps=1,count/configmaps=1" },
    { what: "any other kind as an object", kind: WIDGETS, object: {}, used: "count/widgets.example.com=1" },
  ];

for (const { what, kind, object, used } of USAGES) {
  Deno.test(`quotaEvaluator counts ${what}`, () => assertEquals(usage(kind, object), used));
}

const MEASURED: readonly (readonly [kind: Kind, name: string, measured: boolean])[] = [
  [PODS, "requests.cpu", true],
  [PODS, "requests.example.com/gpu", true],
  [PODS, "requests.deviceclass.resource.kubernetes.io/gpu", true],
  [PODS, "hugepages-1Gi", true],
  [PODS, "example.com/gpu", false],
  [PODS, "requests.storage", false],
  [PODS, "configmaps", false],
  [SERVICES, "services.nodeports", true],
  [SERVICES, "pods", false],
  [PERSISTENTVOLUMECLAIMS, "gold.storageclass.storage.k8s.io/requests.storage", true],
  [PERSISTENTVOLUMECLAIMS, "requests.cpu", false],
  [RESOURCE_CLAIMS, "gpu.deviceclass.resource.k8s.io/devices", true],
  [CONFIGMAPS, "count/configmaps", true],
  [WIDGETS, "widgets", false],
];

for (const [kind, name, measured] of MEASURED) {
  Deno.test(`quotaEvaluator measures ${name} on ${kind.plural}: ${measured}`, () => {
    assertEquals(quotaEvaluator(kind).measures(name), measured);
  });
}

Deno.test("quotaEvaluator says what containers leave open, each resource with its containers", () => {
  const pod: Loose = {
    spec: { containers: [container({ cpu: "1" }), { name: "b" }], initContainers: [{ name: "a" }] },
  };
  const { unstated } = quotaEvaluator(PODS);
  assertEquals(
    unstated(pod, ["requests.cpu", "limits.memory", "pods"]),
    "must specify limits.memory for: a,b,c; requests.cpu for: a,b",
  );
  assertEquals(unstated(pod, ["requests.ephemeral-storage"]), undefined);
  pod.spec.resources = { requests: { cpu: "1" } };
  assertEquals(unstated(pod, ["limits.memory"]), undefined);
});

const scope = (scopeName: string, operator = "Exists", values?: string[]): QuotaScope => ({
  scopeName,
  operator,
  values,
});
const term = { topologyKey: "zone" };
const SCOPES: readonly (readonly [what: string, scope: QuotaScope, pod: Loose, matches: boolean])[] = [
  ["ends", scope("Terminating"), { spec: { activeDeadlineSeconds: 0 } }, true],
  ["does not end", scope("Terminating"), { spec: {} }, false],
  ["does not end", scope("NotTerminating"), { spec: {} }, true],
  ["asks for nothing", scope("BestEffort"), { spec: { containers: [{ name: "c" }] } }, true],
  ["asks for something", scope("BestEffort"), { spec: { containers: [container({ cpu: "1" })] } }, false],
  ["asks for something as a whole", scope("NotBestEffort"), { spec: { resources: { limits: { cpu: "1" } } } }, true],
  ["was classed", scope("BestEffort"), { status: { qosClass: "BestEffort" } }, true],
  ["has a class", scope("PriorityClass"), { spec: { priorityClassName: "high" } }, true],
  ["has no class", scope("PriorityClass"), { spec: {} }, false],
  ["has one of the classes", scope("PriorityClass", "In", ["high"]), { spec: { priorityClassName: "high" } }, true],
  ["has another class", scope("PriorityClass", "In", ["high"]), { spec: { priorityClassName: "low" } }, false],
  ["has no class", scope("PriorityClass", "NotIn", ["high"]), { spec: {} }, true],
  ["has no class", scope("PriorityClass", "DoesNotExist"), { spec: {} }, true],
  ["has a class", scope("PriorityClass", "DoesNotExist"), { spec: { priorityClassName: "low" } }, false],
  [
    "looks into other namespaces",
    scope("CrossNamespacePodAffinity"),
    {
      spec: {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{
              weight: 1,
              podAffinityTerm: { ...term, namespaceSelector: {} },
            }],
          },
        },
      },
    },
    true,
  ],
  [
    "looks into its own namespace",
    scope("CrossNamespacePodAffinity"),
    { spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } },
    false,
  ],
  ["knows no attributes class", scope("VolumeAttributesClass"), {}, false],
];

for (const [what, wanted, pod, matches] of SCOPES) {
  Deno.test(`quotaMatches takes a pod that ${what} for ${wanted.scopeName} ${wanted.operator}: ${matches}`, () => {
    const quota: ResourceQuota = {
      spec: { scopeSelector: { matchExpressions: [wanted] } },
      status: { hard: { pods: "1" } },
    };
    assertEquals(quotaMatches(quota, quotaEvaluator(PODS), pod as Pod), matches);
  });
}

Deno.test("quotaMatches goes by the status alone, and wants all scopes", () => {
  const evaluator = quotaEvaluator(PODS);
  assertEquals(quotaMatches({ spec: { hard: { pods: "1" } } }, evaluator, {}), false);
  assertEquals(quotaMatches({ status: { hard: { services: "1" } } }, evaluator, {}), false);
  assertEquals(quotaMatches({ status: { hard: { pods: "1" } } }, evaluator, {}), true);
  const both = { spec: { scopes: ["BestEffort", "Terminating"] }, status: { hard: { pods: "1" } } };
  assertEquals(quotaMatches(both, evaluator, {}), false);
});

Deno.test("quotaMatches takes a claim by any attributes class that it has or had", () => {
  const quota = {
    spec: { scopeSelector: { matchExpressions: [scope("VolumeAttributesClass", "In", ["gold"])] } },
    status: { hard: { persistentvolumeclaims: "1" } },
  };
  const matches = (claim: Loose) => quotaMatches(quota, quotaEvaluator(PERSISTENTVOLUMECLAIMS), claim as KubeObject);
  assertEquals(matches({ spec: { volumeAttributesClassName: "gold" } }), true);
  assertEquals(matches({ status: { currentVolumeAttributesClassName: "gold" } }), true);
  assertEquals(matches({ status: { modifyVolumeStatus: { targetVolumeAttributesClassName: "gold" } } }), true);
  assertEquals(matches({ spec: { volumeAttributesClassName: "silver" } }), false);
  assertEquals(matches({}), false);
});
