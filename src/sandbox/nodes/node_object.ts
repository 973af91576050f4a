import type { CSINode, Lease, Node, NodeStatus, Taint } from "../../api/mod.ts";
import { nodeConditions } from "./node_conditions.ts";

/** How a simulated node looks. */
export interface NodeShape {
  readonly name: string;
  readonly address: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Whether a cloud is to say what its machine is: its kubelet runs with `--cloud-provider=external`. */
  readonly isExternal: boolean;
}

/** Labels that a kubelet puts right on a node that is there already. Upstream: updateDefaultLabels. */
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
/** Until a cloud has said what the machine is. Upstream: `pkg/kubelet/kubelet_node_status.go` (initialNode). */
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

/** What a node's status says of its machine. Of its addresses a kubelet knows none but its name where a cloud is to tell them. */
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
      kubeletVersion: "v1.36.0",
      machineID: `simulated-${name}`,
      operatingSystem: "linux",
      osImage: "Simulated",
      systemUUID: `simulated-${name}`,
    },
  };
}

/**
 * The merge patch by which a kubelet that comes back makes an existing node its own; `undefined` if nothing is to be put right.
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

/** The lease by which a node says that it lives. */
export function nodeLease({ metadata }: Node, renewTime: string): Lease {
  const { name } = metadata ?? {};
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease", ownerReferences: [ownedBy(metadata)] },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  };
}

/** What says which storage drivers a node has. Upstream: `pkg/volume/csi/nodeinfomanager`. */
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

/** The address of the `index`th item of a network: `10.0.0.7`. */
export function addressIn(network: string, index: number): string {
  const number = index + 1;
  return `${network}.${Math.floor(number / 256) % 256}.${number % 256}`;
}
