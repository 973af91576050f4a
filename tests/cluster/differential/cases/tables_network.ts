/** How Services, their endpoints, and what leads to them are printed; nodes and what is in a namespace. */
import type { DifferentialCase } from "../probe.ts";
import { tableCase } from "../table_probes.ts";

const CORE = "/api/v1/namespaces/{ns}";
const NETWORKING = "/apis/networking.k8s.io/v1";

const PORTS = [{ name: "a", port: 80 }, { name: "b", port: 443, protocol: "UDP" }];
const SELECTOR = { app: "a", tier: "b" };

function service(name: string, spec: object) {
  return { metadata: { name }, spec: { ports: PORTS, ...spec } };
}

const BALANCER = { loadBalancer: { ingress: [{ ip: "10.9.0.2" }, { hostname: "b.example.com" }, { ip: "10.9.0.1" }] } };

/** Addresses and ports by name. */
function slice(name: string, addresses: readonly string[], ports: readonly object[]) {
  const endpoints = addresses.map((address) => ({ addresses: [address] }));
  return { metadata: { name }, addressType: "IPv4", endpoints, ports };
}

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `10.8.0.${i + 1}`);

function ingress(name: string, hosts: readonly string[], more: object = {}) {
  const rules = hosts.map((host) => ({
    ...host ? { host } : {},
    http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }] },
  }));
  return { metadata: { name }, spec: { rules, ...more } };
}

const info = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kubeProxyVersion: "",
  operatingSystem: "linux",
  architecture: "amd64",
  kubeletVersion: "v1.36.3",
  osImage: "A System",
  kernelVersion: "6.1.0",
  containerRuntimeVersion: "runtime://1.2",
};

export const CASES: readonly DifferentialCase[] = [
  tableCase(`${CORE}/services`, [
    { object: service("a-headless", { clusterIP: "None", selector: SELECTOR }) },
    { object: service("b-external-ips", { clusterIP: "None", externalIPs: ["10.7.0.1", "10.7.0.2"] }) },
    {
      object: { metadata: { name: "c-name" }, spec: { type: "ExternalName", externalName: "www.example.com" } },
    },
    {
      object: service("d-pending", {
        type: "LoadBalancer",
        allocateLoadBalancerNodePorts: false,
        externalTrafficPolicy: "Cluster",
      }),
    },
    {
      object: service("e-balanced", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }),
      status: BALANCER,
    },
    {
      object: service("f-both", {
        type: "LoadBalancer",
        allocateLoadBalancerNodePorts: false,
        externalIPs: ["10.7.0.1"],
      }),
      status: BALANCER,
    },
  ]),
  tableCase(`${CORE}/endpoints`, [
    { object: { metadata: { name: "a" } } },
    {
      object: {
        metadata: { name: "b" },
        subsets: [{ addresses: [{ ip: "10.8.0.1" }], ports: [{ port: 80, name: "a" }, { port: 81, name: "b" }] }],
      },
    },
    {
      object: {
        metadata: { name: "c" },
        subsets: [
          { addresses: addresses(3).map((ip) => ({ ip })), ports: [{ port: 80, name: "a" }, { port: 81, name: "b" }] },
        ],
      },
    },
    { object: { metadata: { name: "d" }, subsets: [{ addresses: [{ ip: "10.8.0.1" }, { ip: "10.8.0.2" }] }] } },
    {
      object: { metadata: { name: "e" }, subsets: [{ notReadyAddresses: [{ ip: "10.8.0.1" }], ports: [{ port: 1 }] }] },
    },
    {
      object: {
        metadata: { name: "f" },
        subsets: [{ addresses: [{ ip: "fd00::1" }], ports: [{ port: 80 }] }],
      },
    },
  ]),
  tableCase("/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices", [
    { object: slice("a", [], []) },
    { object: slice("b", addresses(2), [{ name: "x", port: 80 }, { name: "y" }]) },
    {
      object: slice("c", addresses(5), [1, 2, 3, 4, 5].map((port) => ({ name: `p${port}`, port }))),
    },
  ]),
  tableCase(`${NETWORKING}/namespaces/{ns}/ingresses`, [
    { object: ingress("a", [""]) },
    { object: ingress("b", ["a.example.com", "b.example.com"], { tls: [{ hosts: ["a.example.com"] }] }) },
    {
      object: ingress("c", ["a", "b", "c", "d", "e"].map((name) => `${name}.example.com`)),
      status: { loadBalancer: { ingress: [{ ip: "10.9.0.2" }, { hostname: "lb.example.com" }] } },
    },
    { object: ingress("d", ["", "a.example.com"], { ingressClassName: "some" }) },
  ]),
  tableCase(`${NETWORKING}/ingressclasses`, [
    { object: { metadata: { name: "{ns}-a" }, spec: { controller: "example.com/a" } } },
    {
      object: {
        metadata: {
          name: "{ns}-b",
          annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
        },
        spec: {
          controller: "example.com/b",
          parameters: { apiGroup: "example.com", kind: "Settings", name: "s", scope: "Cluster" },
        },
      },
    },
  ]),
  tableCase(`${NETWORKING}/namespaces/{ns}/networkpolicies`, [
    { object: { metadata: { name: "a" }, spec: { podSelector: {} } } },
    {
      object: {
        metadata: { name: "b" },
        spec: { podSelector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["z", "y"] }] } },
      },
    },
  ]),
  tableCase("/api/v1/nodes", [
    { object: { metadata: { name: "{ns}-a" } } },
    {
      object: {
        metadata: {
          name: "{ns}-b",
          labels: {
            "node-role.kubernetes.io/worker": "",
            "node-role.kubernetes.io/control-plane": "",
            "kubernetes.io/role": "special",
          },
        },
        spec: { unschedulable: true },
      },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [
          { type: "Hostname", address: "b" },
          { type: "InternalIP", address: "10.0.0.5" },
          { type: "InternalIP", address: "10.0.0.6" },
          { type: "ExternalIP", address: "10.6.0.5" },
        ],
        nodeInfo: info,
      },
    },
    {
      object: { metadata: { name: "{ns}-c" } },
      status: { conditions: [{ type: "Ready", status: "Unknown" }] },
    },
  ]),
  tableCase(`${CORE}/secrets`, [
    { object: { metadata: { name: "a" }, data: { x: "AA==", y: "AA==" } } },
    { object: { metadata: { name: "b" }, type: "example.com/kind" } },
  ]),
  tableCase(`${CORE}/serviceaccounts`, [{ object: { metadata: { name: "a" } } }]),
  tableCase(`${CORE}/resourcequotas`, [
    {
      object: {
        metadata: { name: "a" },
        spec: { hard: { "limits.cpu": "4", "requests.cpu": "2", pods: "5", "count/jobs.batch": "3" } },
      },
      status: {
        hard: { "limits.cpu": "4", "requests.cpu": "2", pods: "5" },
        used: { "limits.cpu": "500m", pods: "1" },
      },
    },
    { object: { metadata: { name: "b" }, spec: { hard: { pods: "1" } } } },
  ]),
  tableCase(`${CORE}/events`, [
    {
      object: {
        metadata: { name: "a" },
        involvedObject: { kind: "Pod", name: "web", namespace: "{ns}", fieldPath: "spec.containers{c}" },
        type: "Normal",
        reason: "Pulled",
        message: "  pulled it\n",
        source: { component: "kubelet", host: "node-1" },
        firstTimestamp: "2001-01-01T00:00:00Z",
        lastTimestamp: "2002-02-02T00:00:00Z",
        count: 4,
      },
    },
    {
      object: {
        metadata: { name: "b" },
        involvedObject: { kind: "Node", namespace: "{ns}" },
        reason: "Other",
        reportingComponent: "thing",
        reportingInstance: "thing-1",
        action: "Looking",
        type: "Warning",
        eventTime: "2003-03-03T00:00:00.000001Z",
        series: { count: 9, lastObservedTime: "2004-04-04T00:00:00.000001Z" },
      },
    },
    { object: { metadata: { name: "c" }, involvedObject: { kind: "Pod", name: "x", namespace: "{ns}" } } },
  ]),
];
