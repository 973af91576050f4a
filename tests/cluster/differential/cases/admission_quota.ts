/** What quotas let in, what they say to the rest, and what they charge. No controller runs: their status is set by hand. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, has, merge, post, waitFor } from "../requests.ts";

const CORE = "/api/v1/namespaces/{ns}";
const PODS = `${CORE}/pods`;
const CLAIMS = `${CORE}/persistentvolumeclaims`;
const SERVICES = `${CORE}/services`;
const QUOTAS = `${CORE}/resourcequotas`;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/{ns}/deployments";
const RESOURCE_CLAIMS = "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims";

const used = (): Probe => ({
  method: "GET",
  path: `${QUOTAS}/q`,
  ignore: { fields: ["metadata.managedFields.*.fieldsV1"], because: "it is compared where the quota is charged first" },
});

const pod = (name: string, requests: Fields = {}, spec: Fields = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "nginx:1", resources: { requests } }], ...spec },
});
const claim = (name: string, storage: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage } }, ...spec },
});
const service = (name: string, type: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { type, ports: [{ name: "a", port: 80 }, { name: "b", port: 81 }], ...spec },
});
const configMap = (name: string) => ({ metadata: { name } });

/** A quota whose status says what is used, and the request that it is to refuse once kube-apiserver's caches know it. */
function quota(hard: Fields, refused: readonly [path: string, body: unknown], spec: Fields = {}): Probe[] {
  const zeros = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  const status = (amounts: Fields) =>
    merge(`${QUOTAS}/q/status`, { status: { hard: amounts, used: zeros } }, { isSetup: true });
  const [path, body] = refused;
  return [
    post(QUOTAS, { metadata: { name: "q" }, spec: { hard, ...spec } }, { isSetup: true }),
    // With nothing allowed every request is refused, so that it can be seen when the quota is known.
    status(zeros),
    waitFor(path, body, has("exceeded quota")),
    status(hard),
    waitFor(path, body, (answer) => !has("exceeded quota")(answer)),
  ];
}

export const CASES: readonly DifferentialCase[] = [
  {
    name: "quotas count pods and what they ask for",
    probes: [
      ...quota({ "requests.cpu": "1", "limits.memory": "1Gi", pods: "3" }, [
        PODS,
        pod("w", { cpu: "100m" }, { containers: [full("100m", "1Mi")] }),
      ]),
      post(PODS, pod("a", {}, { containers: [full("600m", "512Mi")] })),
      { method: "GET", path: `${QUOTAS}/q` },
      post(PODS, pod("b")),
      post(PODS, pod("c", { cpu: "1" })),
      post(PODS, pod("d", {}, { containers: [full("1", "1Mi"), { ...full("1", "2Gi"), name: "d" }] })),
      post(
        PODS,
        pod("e", {}, { containers: [full("100m", "1Mi")], initContainers: [{ name: "i", image: "nginx:1" }] }),
      ),
      post(`${PODS}?dryRun=All`, pod("f", {}, { containers: [full("400m", "512Mi")] })),
      used(),
      post(PODS, pod("f", {}, { containers: [full("400m", "512Mi")] })),
      used(),
      post(PODS, pod("g", {}, { containers: [full("1m", "1")] })),
      merge(`${PODS}/f/resize`, { spec: { containers: [full("500m", "512Mi")] } }),
      merge(`${PODS}/f/resize`, { spec: { containers: [full("300m", "512Mi")] } }),
      used(),
      { method: "DELETE", path: `${PODS}/a` },
      used(),
      merge(`${QUOTAS}/q/status`, { status: { used: { "requests.cpu": "0", "limits.memory": "0", pods: "0" } } }),
      post(PODS, pod("f", {}, { containers: [full("100m", "1Mi")] })),
      {
        ...used(),
        differs: {
          in: ["body"],
          because: "kube-apiserver charges what then turns out to exist, until the quota's controller counts again",
        },
      },
      post(PODS, { metadata: { generateName: "g-" }, spec: pod("", { cpu: "5" }).spec }, {
        differs: { in: ["message", "details"], because: "the refusal names the generated name, which is random" },
      }),
    ],
  },
  {
    name: "quotas under the names of old, and of what can be extended",
    probes: [
      ...quota(
        {
          cpu: "1",
          memory: "1Gi",
          "requests.ephemeral-storage": "1Gi",
          "requests.example.com/gpu": "1",
          "count/pods": "10",
          "hugepages-2Mi": "4Mi",
        },
        [PODS, pod("w", { cpu: "100m", memory: "1Mi" })],
      ),
      post(PODS, pod("a", { cpu: "2", memory: "1Mi" })),
      post(PODS, pod("b", { cpu: "1m", memory: "1Mi", "ephemeral-storage": "2Gi" })),
      post(PODS, pod("c", {}, { containers: [gpus("2")] })),
      post(PODS, pod("d", {}, { containers: [gpus("1")] })),
      post(PODS, pod("e", {}, { containers: [gpus("1")] })),
      used(),
    ],
  },
  {
    name: "a quota without a status counts nothing, one with half a status refuses",
    probes: [
      post(QUOTAS, { metadata: { name: "q" }, spec: { hard: { pods: "0" } } }),
      post(PODS, pod("a")),
      merge(`${QUOTAS}/q/status`, { status: { hard: { pods: "1", "count/pods": "1" } } }, { isSetup: true }),
      waitFor(PODS, pod("w"), has("status unknown")),
      post(PODS, pod("b")),
      post(`${CORE}/configmaps`, configMap("a")),
    ],
  },
  ...([
    ["Terminating", { activeDeadlineSeconds: 60 }, {}],
    ["NotTerminating", {}, { activeDeadlineSeconds: 60 }],
    ["BestEffort", {}, { containers: [full("1m", "1Mi")] }],
    ["NotBestEffort", { containers: [full("1m", "1Mi")] }, {}],
    ["PriorityClass", { priorityClassName: "system-node-critical" }, {}],
    ["CrossNamespacePodAffinity", affinity({ namespaces: ["other"] }), affinity({})],
  ] as const).map(([scope, inside, outside]): DifferentialCase => ({
    name: `quotas of the scope ${scope}`,
    probes: [
      ...quota({ pods: "1" }, [PODS, pod("w", {}, inside)], { scopes: [scope] }),
      post(PODS, pod("a", {}, inside)),
      post(PODS, pod("b", {}, inside)),
      post(PODS, pod("c", {}, outside)),
      used(),
    ],
  })),
  ...([
    ["In", ["system-node-critical"], { priorityClassName: "system-node-critical" }, {}],
    ["NotIn", ["system-node-critical"], {}, { priorityClassName: "system-node-critical" }],
    ["DoesNotExist", undefined, {}, { priorityClassName: "system-cluster-critical" }],
  ] as const).map(([operator, values, inside, outside]): DifferentialCase => ({
    name: `quotas select priority classes by ${operator}`,
    probes: [
      ...quota({ pods: "1" }, [PODS, pod("w", {}, inside)], {
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
      }),
      post(PODS, pod("a", {}, inside)),
      post(PODS, pod("b", {}, inside)),
      post(PODS, pod("c", {}, outside)),
    ],
  })),
  {
    name: "quotas charge a pod that comes to be of their scope",
    probes: [
      post(PODS, pod("a")),
      post(PODS, pod("b")),
      ...quota({ pods: "1" }, [PODS, pod("w", {}, { activeDeadlineSeconds: 9 })], { scopes: ["Terminating"] }),
      merge(`${PODS}/a`, { spec: { activeDeadlineSeconds: 60 } }),
      used(),
      merge(`${PODS}/b`, { spec: { activeDeadlineSeconds: 60 } }),
      merge(`${PODS}/b`, { metadata: { labels: { a: "b" } } }),
      merge(`${PODS}/a`, { spec: { activeDeadlineSeconds: 30 } }),
      used(),
    ],
  },
  {
    name: "quotas count claims and storage, by class too",
    probes: [
      ...quota(
        {
          persistentvolumeclaims: "3",
          "requests.storage": "10Gi",
          "gold.storageclass.storage.k8s.io/requests.storage": "2Gi",
          "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
        },
        [CLAIMS, claim("w", "1Gi")],
      ),
      post(CLAIMS, claim("a", "11Gi")),
      post(CLAIMS, claim("b", "3Gi", { storageClassName: "gold" })),
      post(CLAIMS, claim("c", "1.5Gi", { storageClassName: "gold" })),
      post(CLAIMS, claim("d", "1Mi", { storageClassName: "gold" })),
      post(CLAIMS, claim("e", "1500m")),
      used(),
      merge(`${CLAIMS}/c/status`, { status: { allocatedResources: { storage: "4Gi" } } }),
      used(),
    ],
  },
  {
    name: "quotas count claims by volume attributes class",
    probes: [
      ...quota({ persistentvolumeclaims: "1" }, [CLAIMS, claim("w", "1Gi", { volumeAttributesClassName: "gold" })], {
        scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values: ["gold"] }] },
      }),
      post(CLAIMS, claim("a", "1Gi", { volumeAttributesClassName: "gold" })),
      post(CLAIMS, claim("b", "1Gi", { volumeAttributesClassName: "gold" })),
      post(CLAIMS, claim("c", "1Gi")),
      used(),
    ],
  },
  {
    name: "quotas count services by what they take",
    probes: [
      ...quota({ services: "3", "services.nodeports": "2", "services.loadbalancers": "1", "count/services": "9" }, [
        SERVICES,
        service("w", "ClusterIP"),
      ]),
      post(SERVICES, service("a", "NodePort")),
      post(SERVICES, service("b", "NodePort")),
      post(SERVICES, service("c", "LoadBalancer", { allocateLoadBalancerNodePorts: false })),
      post(SERVICES, service("d", "LoadBalancer", { allocateLoadBalancerNodePorts: false })),
      post(SERVICES, service("e", "ClusterIP")),
      used(),
      merge(`${SERVICES}/e`, { spec: { type: "NodePort" } }),
      merge(`${SERVICES}/a`, { spec: { type: "ClusterIP" } }),
      used(),
      post(SERVICES, service("f", "ClusterIP")),
    ],
  },
  {
    name: "quotas count objects of any kind",
    probes: [
      ...quota({ configmaps: "1", "count/secrets": "1", "count/deployments.apps": "0", resourcequotas: "5" }, [
        `${CORE}/configmaps`,
        configMap("w"),
      ]),
      post(`${CORE}/configmaps`, configMap("a")),
      post(`${CORE}/configmaps`, configMap("b")),
      merge(`${CORE}/configmaps/a`, { data: { a: "b" } }),
      post(`${CORE}/secrets`, configMap("a")),
      post(`${CORE}/secrets`, configMap("b")),
      post(DEPLOYMENTS, {
        metadata: { name: "a" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: pod("").spec },
        },
      }),
      post(`${CORE}/events`, {
        metadata: { name: "e" },
        involvedObject: { kind: "Pod", namespace: "{ns}", name: "a" },
        reason: "R",
        type: "Normal",
      }, { ignore: { fields: ["metadata"], because: "only the admission of events is asked for here" } }),
      used(),
    ],
  },
  {
    name: "quotas count devices by class",
    probes: [
      ...quota({ "gpu.deviceclass.resource.k8s.io/devices": "2", "count/resourceclaims.resource.k8s.io": "5" }, [
        RESOURCE_CLAIMS,
        devices("w", { exactly: { deviceClassName: "gpu" } }),
      ]),
      post(RESOURCE_CLAIMS, devices("a", { exactly: { deviceClassName: "gpu", allocationMode: "All" } })),
      post(RESOURCE_CLAIMS, devices("b", { exactly: { deviceClassName: "gpu", count: 2 } })),
      post(RESOURCE_CLAIMS, devices("c", { firstAvailable: [{ name: "x", deviceClassName: "gpu" }] })),
      post(RESOURCE_CLAIMS, devices("d", { exactly: { deviceClassName: "other" } })),
      used(),
    ],
  },
];

/** A container that states everything. */
function full(cpu: string, memory: string) {
  return { name: "c", image: "nginx:1", resources: { requests: { cpu, memory }, limits: { memory } } };
}

function gpus(count: string) {
  const resources = { requests: { cpu: "1m", memory: "1Mi" }, limits: { "example.com/gpu": count } };
  return { name: "c", image: "nginx:1", resources };
}

function affinity(where: Fields): Fields {
  const term = { topologyKey: "zone", labelSelector: { matchLabels: { a: "b" } }, ...where };
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function devices(name: string, request: Fields) {
  return { metadata: { name }, spec: { devices: { requests: [{ name: "r", ...request }] } } };
}
