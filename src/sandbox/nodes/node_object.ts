import type { Lease, Node } from "../../api/mod.ts";

/** How a simulated node looks. */
export interface NodeShape {
  readonly name: string;
  readonly address: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The present time, as objects hold it. */
  readonly now: string;
}

const CONDITIONS: ReadonlyArray<readonly [type: string, status: string, reason: string, message: string]> = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
];

/** The conditions of a healthy node. */
function healthyConditions(now: string): NonNullable<NonNullable<Node["status"]>["conditions"]> {
  return CONDITIONS.map(([type, status, reason, message]) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }));
}

/** A node as its kubelet registers it. */
export function nodeObject({ name, address, capacity, labels, now }: NodeShape): Node {
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
    },
    status: {
      capacity: { ...capacity },
      allocatable: { ...capacity },
      addresses: [{ type: "InternalIP", address }, { type: "Hostname", address: name }],
      conditions: healthyConditions(now),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: "amd64",
        bootID: "",
        containerRuntimeVersion: "simulated://1",
        kernelVersion: "6.0.0",
        kubeProxyVersion: "",
        kubeletVersion: "v1.36.0",
        machineID: "",
        operatingSystem: "linux",
        osImage: "Simulated",
        systemUUID: "",
      },
    },
  };
}

/** The lease by which a node says that it lives. */
export function nodeLease(node: Node, renewTime: string): Lease {
  const { name, uid } = node.metadata ?? {};
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace: "kube-node-lease",
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: name ?? "", uid: uid ?? "" }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  };
}

/** The address of the `index`th item of a network: `10.244.0.7`. */
export function addressIn(network: string, index: number): string {
  const number = index + 1;
  return `${network}.${Math.floor(number / 256) % 256}.${number % 256}`;
}
