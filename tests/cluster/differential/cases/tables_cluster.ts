/** How storage, access, admission and scheduling objects are printed. */
import type { DifferentialCase } from "../probe.ts";
import { CERTIFICATE_REQUEST } from "../../certificate_request.ts";
import { tableCase } from "../table_probes.ts";

const CORE = "/api/v1/namespaces/{ns}";
const STORAGE = "/apis/storage.k8s.io/v1";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const RESOURCE = "/apis/resource.k8s.io/v1";

const LONG_AGO = "2001-01-01T00:00:00Z";
const REQUESTS = { resources: { requests: { storage: "1Gi" } } };

function volume(name: string, spec: object) {
  return {
    metadata: { name },
    spec: { capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" }, ...spec },
  };
}

function claim(name: string, spec: object) {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", ...REQUESTS, ...spec },
  };
}

const SUBJECTS = [
  { kind: "User", name: "ann", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "User", name: "bob", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "Group", name: "team", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "ServiceAccount", name: "robot", namespace: "kube-system" },
];

function binding(name: string, subjects: readonly object[]) {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  return { metadata: { name }, roleRef, subjects };
}

function webhook(name: string) {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: "https://127.0.0.1:1/never" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    namespaceSelector: { matchLabels: { never: "matched" } },
  };
}

const RULES = {
  resourceRules: [{
    apiGroups: ["never.example.com"],
    apiVersions: ["v1"],
    operations: ["CREATE"],
    resources: ["things"],
  }],
};

function signing(name: string, spec: object) {
  const signerName = "example.com/signer";
  return { metadata: { name }, spec: { request: CERTIFICATE_REQUEST, signerName, usages: ["client auth"], ...spec } };
}

function autoscaler(name: string, spec: object) {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  return { metadata: { name }, spec: { scaleTargetRef, maxReplicas: 9, ...spec } };
}

const cpu = (target: object) => ({ type: "Resource", resource: { name: "cpu", target } });
const UTILIZATION = { type: "Utilization", averageUtilization: 70 };
const AVERAGE = { type: "AverageValue", averageValue: "100m" };
const VALUE = { type: "Value", value: "2k" };
const metric = { name: "requests" };
const described = { apiVersion: "v1", kind: "Service", name: "s" };

export const CASES: readonly DifferentialCase[] = [
  tableCase("/api/v1/persistentvolumes", [
    { object: volume("{ns}-a", {}) },
    {
      object: volume("{ns}-b", {
        accessModes: ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "fast",
        volumeMode: "Block",
        claimRef: { namespace: "{ns}", name: "c" },
      }),
      status: { phase: "Failed", reason: "Broken" },
    },
  ]),
  tableCase(`${CORE}/persistentvolumeclaims`, [
    { object: claim("a", {}) },
    {
      object: claim("b", { storageClassName: "fast", volumeMode: "Block" }),
      status: { phase: "Lost" },
    },
    {
      object: claim("c", { volumeName: "v" }),
      status: {
        phase: "Bound",
        capacity: { storage: "3Gi" },
        accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      },
    },
  ]),
  tableCase(`${STORAGE}/storageclasses`, [
    { object: { metadata: { name: "{ns}-a" }, provisioner: "example.com/a" } },
    {
      object: {
        metadata: { name: "{ns}-b" },
        provisioner: "example.com/b",
        reclaimPolicy: "Retain",
        volumeBindingMode: "WaitForFirstConsumer",
        allowVolumeExpansion: true,
      },
    },
  ]),
  tableCase(`${STORAGE}/volumeattributesclasses`, [
    { object: { metadata: { name: "{ns}-a" }, driverName: "example.com", parameters: { a: "b" } } },
  ]),
  tableCase(`${STORAGE}/volumeattachments`, [
    {
      object: {
        metadata: { name: "{ns}-a" },
        spec: { attacher: "example.com", nodeName: "n", source: { persistentVolumeName: "p" } },
      },
      status: { attached: true },
    },
  ]),
  tableCase(`${STORAGE}/csinodes`, [
    {
      object: {
        metadata: { name: "{ns}-a" },
        spec: { drivers: [{ name: "example.com", nodeID: "n", topologyKeys: [] }] },
      },
    },
  ]),
  tableCase(`${STORAGE}/csidrivers`, [
    { object: { metadata: { name: "{ns}-a.example.com" }, spec: {} } },
    {
      object: {
        metadata: { name: "{ns}-b.example.com" },
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          storageCapacity: true,
          requiresRepublish: true,
          tokenRequests: [{ audience: "x" }, { audience: "y" }],
          volumeLifecycleModes: ["Persistent", "Ephemeral"],
        },
      },
    },
  ]),
  tableCase(`${STORAGE}/namespaces/{ns}/csistoragecapacities`, [
    { object: { metadata: { name: "a" }, storageClassName: "fast", capacity: "1Gi" } },
  ]),
  tableCase(`${RBAC}/namespaces/{ns}/roles`, [{ object: { metadata: { name: "a" }, rules: [] } }]),
  tableCase(`${RBAC}/namespaces/{ns}/rolebindings`, [
    { object: binding("a", SUBJECTS) },
    { object: binding("b", []) },
  ]),
  tableCase(`${RBAC}/clusterroles`, [{ object: { metadata: { name: "{ns}-a" }, rules: [] } }]),
  tableCase(`${RBAC}/clusterrolebindings`, [{ object: binding("{ns}-a", SUBJECTS) }]),
  tableCase("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", [
    { object: { metadata: { name: "a" }, spec: { holderIdentity: "me" } } },
    { object: { metadata: { name: "b" }, spec: {} } },
  ]),
  tableCase("/apis/scheduling.k8s.io/v1/priorityclasses", [
    { object: { metadata: { name: "{ns}-a" }, value: 5 } },
    { object: { metadata: { name: "{ns}-b" }, value: -7, preemptionPolicy: "Never" } },
  ]),
  tableCase("/apis/node.k8s.io/v1/runtimeclasses", [{ object: { metadata: { name: "{ns}-a" }, handler: "fast" } }]),
  tableCase(`${ADMISSION}/validatingwebhookconfigurations`, [
    { object: { metadata: { name: "{ns}-a" }, webhooks: [webhook("a"), webhook("b")] } },
  ]),
  tableCase(`${ADMISSION}/mutatingwebhookconfigurations`, [
    { object: { metadata: { name: "{ns}-a" }, webhooks: [webhook("a")] } },
    { object: { metadata: { name: "{ns}-b" } } },
  ]),
  tableCase(`${ADMISSION}/validatingadmissionpolicies`, [
    {
      object: {
        metadata: { name: "{ns}-a" },
        spec: {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          matchConstraints: RULES,
          validations: [{ expression: "true" }, { expression: "1 == 1" }],
        },
      },
    },
    {
      object: {
        metadata: { name: "{ns}-b" },
        spec: { matchConstraints: RULES, validations: [{ expression: "true" }] },
      },
    },
  ]),
  tableCase(`${ADMISSION}/validatingadmissionpolicybindings`, [
    { object: { metadata: { name: "{ns}-a" }, spec: { policyName: "p", validationActions: ["Warn"] } } },
    {
      object: {
        metadata: { name: "{ns}-b" },
        spec: {
          policyName: "p",
          validationActions: ["Warn"],
          paramRef: { name: "n", namespace: "x", parameterNotFoundAction: "Allow" },
        },
      },
    },
    {
      object: {
        metadata: { name: "{ns}-c" },
        spec: {
          policyName: "p",
          validationActions: ["Warn"],
          paramRef: { name: "n", parameterNotFoundAction: "Allow" },
        },
      },
    },
    {
      object: {
        metadata: { name: "{ns}-d" },
        spec: {
          policyName: "p",
          validationActions: ["Warn"],
          paramRef: {
            selector: {
              matchLabels: { b: "2", a: "1" },
              matchExpressions: [{ key: "k", operator: "In", values: ["v", "w"] }],
            },
            parameterNotFoundAction: "Allow",
          },
        },
      },
    },
  ]),
  tableCase("/apis/certificates.k8s.io/v1/certificatesigningrequests", [
    { object: signing("{ns}-a", {}) },
    { object: signing("{ns}-b", { expirationSeconds: 3600 }) },
  ], {
    fields: ["rows.*.cells.3"],
    because: "each server has its own administrator",
  }),
  tableCase("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", [
    { object: autoscaler("a", {}) },
    {
      object: autoscaler("b", { minReplicas: 2, metrics: [cpu(UTILIZATION), cpu(AVERAGE)] }),
      status: {
        currentReplicas: 3,
        desiredReplicas: 3,
        conditions: [],
        currentMetrics: [
          { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 55, averageValue: "5m" } } },
          { type: "Resource", resource: { name: "cpu", current: { averageValue: "50m" } } },
        ],
      },
    },
    {
      object: autoscaler("c", {
        metrics: [
          { type: "Pods", pods: { metric, target: AVERAGE } },
          { type: "External", external: { metric, target: VALUE } },
          { type: "External", external: { metric, target: AVERAGE } },
        ],
      }),
    },
    {
      object: autoscaler("d", {
        metrics: [
          { type: "Object", object: { metric, describedObject: described, target: VALUE } },
          { type: "Object", object: { metric, describedObject: described, target: AVERAGE } },
        ],
      }),
      status: {
        currentReplicas: 1,
        desiredReplicas: 1,
        conditions: [],
        currentMetrics: [
          { type: "Object", object: { metric, describedObject: described, current: { value: "1500" } } },
        ],
      },
    },
    {
      object: autoscaler("e", {
        metrics: [
          {
            type: "ContainerResource",
            containerResource: { name: "memory", container: "c", target: UTILIZATION },
          },
        ],
      }),
    },
  ]),
  tableCase("/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers", [
    { object: autoscaler("a", { targetCPUUtilizationPercentage: 60 }) },
  ]),
  tableCase(`${RESOURCE}/deviceclasses`, [{ object: { metadata: { name: "{ns}-a" }, spec: {} } }]),
  tableCase(`${RESOURCE}/namespaces/{ns}/resourceclaims`, [
    { object: { metadata: { name: "a" }, spec: {} } },
    {
      object: { metadata: { name: "b" }, spec: {} },
      status: {
        allocation: { allocationTimestamp: LONG_AGO },
        reservedFor: [{ resource: "pods", name: "p", uid: "u" }],
      },
    },
  ]),
  tableCase(`${RESOURCE}/namespaces/{ns}/resourceclaimtemplates`, [{
    object: { metadata: { name: "a" }, spec: { spec: {} } },
  }]),
  tableCase(`${RESOURCE}/resourceslices`, [
    {
      object: {
        metadata: { name: "{ns}-a" },
        spec: {
          driver: "example.com",
          nodeName: "n",
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          devices: [],
        },
      },
    },
  ]),
  tableCase("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", [
    {
      object: {
        metadata: { name: "{ns}-a" },
        spec: { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } } },
      },
    },
    {
      object: {
        metadata: { name: "{ns}-b" },
        spec: {
          type: "Limited",
          limited: {
            nominalConcurrencyShares: 5,
            limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
          },
        },
      },
    },
  ]),
  tableCase("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", [
    {
      object: {
        metadata: { name: "{ns}-a" },
        spec: {
          priorityLevelConfiguration: { name: "workload-low" },
          matchingPrecedence: 9000,
          distinguisherMethod: { type: "ByUser" },
        },
      },
    },
  ], {
    fields: ["rows.*.cells.5"],
    because: "a part of kube-apiserver that is not here says whether the priority level exists",
  }),
  tableCase("/apis/networking.k8s.io/v1/servicecidrs", [
    { object: { metadata: { name: "{ns}-a" }, spec: { cidrs: ["10.99.0.0/24", "fd99::/120"] } } },
  ]),
  tableCase("/apis/networking.k8s.io/v1/ipaddresses", [
    {
      object: {
        metadata: { name: "10.99.3.4" },
        spec: { parentRef: { group: "example.com", resource: "things", namespace: "x", name: "y" } },
      },
    },
    { object: { metadata: { name: "10.99.3.5" }, spec: { parentRef: { resource: "things", name: "y" } } } },
  ]),
  tableCase("/apis/apiregistration.k8s.io/v1/apiservices", [
    {
      object: {
        metadata: { name: "v1.{ns}.example.com" },
        spec: {
          group: "{ns}.example.com",
          version: "v1",
          groupPriorityMinimum: 100,
          versionPriority: 10,
        },
      },
    },
  ]),
];
