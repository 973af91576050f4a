import { nowText } from "./environment.ts";
import { type ServerState, systemOperation } from "./operation.ts";
import { decodeObject } from "./writes/decode.ts";
import { createNow } from "./writes/create.ts";
import { ApiError } from "./errors.ts";

type Body = Readonly<Record<string, unknown>> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
};

/** Objects that a server makes at its start, by collection. */
const OBJECTS: ReadonlyArray<readonly [collection: string, bodies: readonly Body[]]> = [
  ["namespaces", ["default", "kube-system", "kube-public", "kube-node-lease"].map((name) => ({ metadata: { name } }))],
  ["priorityclasses.scheduling.k8s.io", [
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
  ]],
  ["configmaps", [{
    metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
    data: { "requestheader-allowed-names": "[]" },
  }]],
  ["clusterroles.rbac.authorization.k8s.io", [{
    metadata: { name: "cluster-admin", labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } },
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }, { nonResourceURLs: ["*"], verbs: ["*"] }],
  }]],
];

/** Creates what is missing of the objects that every cluster has. Upstream: `pkg/controlplane`. */
export function bootstrap(state: ServerState): void {
  for (const [collection, bodies] of OBJECTS) {
    for (const body of bodies) createIfMissing(state, collection, body);
  }
  const [base] = state.options.serviceCidr.split("/");
  const clusterIP = base.replace(/\d+$/, (last) => String(Number(last) + 1));
  createIfMissing(state, "services", {
    metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP, type: "ClusterIP", ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }] },
  });
  const port = { name: "https", port: 6443, protocol: "TCP" };
  createIfMissing(state, "endpoints", {
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { "endpointslice.kubernetes.io/skip-mirror": "true" },
    },
    subsets: [{ addresses: [{ ip: "127.0.0.1" }], ports: [port] }],
  });
  createIfMissing(state, "endpointslices.discovery.k8s.io", {
    metadata: { name: "kubernetes", namespace: "default", labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
    ports: [port],
  });
  // From this day on the use of legacy service account tokens is recorded.
  createIfMissing(state, "configmaps", {
    metadata: { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" },
    data: { since: nowText(state).slice(0, 10) },
  });
  createIfMissing(state, "servicecidrs.networking.k8s.io", {
    metadata: { name: "kubernetes" },
    spec: { cidrs: [state.options.serviceCidr] },
  });
}

function createIfMissing(state: ServerState, collection: string, body: Body): void {
  const operation = systemOperation(state, collection, body.metadata.namespace);
  try {
    createNow(operation, decodeObject(operation, body));
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
  }
}
