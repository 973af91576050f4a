import { type CSINode, KUBERNETES_VERSION, type Lease, type Node, type NodeStatus, type Taint } from "../../api/mod.ts";
import { nodeConditions } from "./node_conditions.ts";

/** What a simulated node looks like. */
export interface NodeShape {
  readonly name: string;
  readonly address: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Whether a cloud describes its machine, as if its kubelet ran with `--cloud-provider=external`. */
  readonly isExternal: boolean;
}

/** Labels that a kubelet corrects on an existing node. Upstream: updateDefaultLabels. */
const DEFAULT_LABELS: readonly string[] = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
];
/** The taint until a cloud has described the machine. Upstream: `pkg/kubelet/kubelet_node_status.go` (initialNode). */
const UNINITIALIZED: Taint = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
};
const ATTACH_ANNOTATION = "volumes.kubernetes.io/controller-managed-attach-detach";

/** A node as its kubelet registers it. Upstream: `pkg/kubelet/kubelet_node_status.go` (initialNode). */
export function nodeObject(shape: NodeShape, now: string): Node {
  const { name, labels } = shape;
  const taints = shape.isExternal ? [...shape.taints, UNINITIALIZED] : shape.taints;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...labels,
      },
      annotations: { [ATTACH_ANNOTATION]: "true" },
    },
    ...taints.length > 0 ? { spec: { taints: [...taints] } } : {},
    status: { ...machineStatus(shape), conditions: nodeConditions(undefined, now) },
  };
}

/** The machine in a node's status. With an external cloud, a kubelet reports only its name as an address. */
export function machineStatus({ name, address, capacity, isExternal }: NodeShape): NodeStatus {
  return {
    capacity: { ...capacity },
    allocatable: { ...capacity },
    addresses: [
      ...isExternal ? [] : [{ type: "InternalIP", address }],
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: `simulated-${name}`,
      containerRuntimeVersion: "simulated://1",
      kernelVersion: "6.0.0",
      kubeProxyVersion: "",
      kubeletVersion: KUBERNETES_VERSION,
      machineID: `simulated-${name}`,
      operatingSystem: "linux",
      osImage: "Simulated",
      systemUUID: `simulated-${name}`,
    },
  };
}

/**
 * The merge patch with which a restarted kubelet corrects its existing node; `undefined` if nothing needs correcting.
 * Upstream: tryRegisterWithAPIServer.
 */
export function adoptionPatch(wanted: Node, { metadata }: Node): object | undefined {
  const labels: Record<string, string> = {};
  for (const key of DEFAULT_LABELS) {
    const value = wanted.metadata?.labels?.[key];
    if (value !== undefined && metadata?.labels?.[key] !== value) labels[key] = value;
  }
  const isMarked = metadata?.annotations?.[ATTACH_ANNOTATION] === "true";
  if (Object.keys(labels).length === 0 && isMarked) return undefined;
  return { metadata: { labels, annotations: { [ATTACH_ANNOTATION]: "true" } } };
}

/** The lease that shows that a node is alive. */
export function nodeLease({ metadata }: Node, renewTime: string): Lease {
  const { name } = metadata ?? {};
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease", ownerReferences: [ownedBy(metadata)] },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  };
}

/** The object that lists a node's storage drivers. Upstream: `pkg/volume/csi/nodeinfomanager`. */
export function csiNode({ metadata }: Node, drivers: readonly string[]): CSINode {
  const nodeID = metadata?.name ?? "";
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name: metadata?.name, ownerReferences: [ownedBy(metadata)] },
    spec: { drivers: drivers.map((name) => ({ name, nodeID })) },
  };
}

function ownedBy(metadata: Node["metadata"]) {
  return { apiVersion: "v1", kind: "Node", name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
}

/** The `index`th address of a network, such as `10.0.0.7`. */
export function addressIn(network: string, index: number): string {
  const number = index + 1;
  return `${network}.${Math.floor(number / 256) % 256}.${number % 256}`;
}
