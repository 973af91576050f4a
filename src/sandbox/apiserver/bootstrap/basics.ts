import { standardStorageClass } from "../admission/mod.ts";
import { type Environment, nowText } from "../traits/mod.ts";
import type { Bodies, Body } from "./body.ts";

/** The ConfigMap that tells aggregated servers which clients to trust. */
export const AUTHENTICATION = { name: "extension-apiserver-authentication", namespace: "kube-system" };

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];
const PRIORITY_CLASSES: readonly Body[] = [
  {
    metadata: { name: "system-cluster-critical" },
    value: 2000000000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
  {
    metadata: { name: "system-node-critical" },
    value: 2000001000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
];
const SECURE_PORT = 6443;

/** The first address of the Services' range, which the Service `kubernetes` has. */
export function firstAddress(serviceCidr: string): string {
  return serviceCidr.split("/")[0].replace(/(?<!\d)\d+$/, (last) => String(Number(last) + 1));
}

/** What every cluster has besides roles and flow control, by collection, in the order of creation. */
export function basicObjects(state: Environment): Bodies {
  const port = { name: "https", port: SECURE_PORT, protocol: "TCP" };
  const kubernetes = { name: "kubernetes", namespace: "default" };
  return [
    ["namespaces", NAMESPACES.map((name) => ({ metadata: { name } }))],
    ["priorityclasses.scheduling.k8s.io", PRIORITY_CLASSES],
    ["storageclasses.storage.k8s.io", [{ ...standardStorageClass() }]],
    ["configmaps", [
      { metadata: { ...AUTHENTICATION }, data: { "requestheader-allowed-names": "[]" } },
      {
        // The date since which the use of legacy service account tokens is recorded.
        metadata: { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" },
        data: { since: nowText(state).slice(0, 10) },
      },
    ]],
    ["services", [{
      metadata: { ...kubernetes, labels: { component: "apiserver", provider: "kubernetes" } },
      spec: {
        clusterIP: firstAddress(state.options.serviceCidr),
        type: "ClusterIP",
        ports: [{ ...port, port: 443, targetPort: SECURE_PORT }],
      },
    }]],
    ["endpoints", [{
      metadata: { ...kubernetes, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [port] }],
    }]],
    ["endpointslices.discovery.k8s.io", [{
      metadata: { ...kubernetes, labels: { "kubernetes.io/service-name": "kubernetes" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
      ports: [port],
    }]],
  ];
}

/** The range of Services' addresses. */
export function serviceCidr(state: Environment): Body {
  const lastTransitionTime = nowText(state);
  const message = "Kubernetes default Service CIDR is ready";
  return {
    metadata: { name: "kubernetes" },
    spec: { cidrs: [state.options.serviceCidr] },
    status: { conditions: [{ type: "Ready", status: "True", reason: "", message, lastTransitionTime }] },
  };
}
