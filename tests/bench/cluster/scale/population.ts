/** A large cluster as objects: Deployments whose pods run on nodes behind Services, all as it is when nothing is left to do. */
import {
  type Deployment,
  DEPLOYMENTS,
  type KubeObject,
  type Lease,
  LEASES,
  type Node,
  NODES,
  type ObjectMeta,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  type Resource,
  type Service,
  SERVICES,
} from "../../../../src/api/mod.ts";
import { podTemplate } from "../../../scenarios/kit.ts";
import { realisticPod } from "../../realistic_pod.ts";

/** How large it is. */
export interface Population {
  readonly pods: number;
  readonly nodes: number;
  readonly services: number;
}

export const REPLICAS = 20;
export const LEASE_NAMESPACE = "kube-node-lease";
const DEPLOYMENTS_A_NAMESPACE = 50;
/** Where time began, for objects that have long been there. */
const MADE = "2026-01-01T00:00:00Z";
const HASH = "5f3759df5c";

export const nodeName = (i: number) => `node-${i}`;
export const deploymentsOf = ({ pods }: Population) => Math.ceil(pods / REPLICAS);
export const namespacesOf = (population: Population) =>
  Array.from(
    { length: Math.ceil(deploymentsOf(population) / DEPLOYMENTS_A_NAMESPACE) },
    (_, i) => `team-${i}`,
  );

/** Where Deployment `i` is. */
export function deploymentRef(i: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${Math.floor(i / DEPLOYMENTS_A_NAMESPACE)}`, name: `app-${i}` };
}

/** Where pod `i` is; every {@link REPLICAS} pods have a Deployment in common. */
export function podRef(i: number): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = deploymentRef(Math.floor(i / REPLICAS));
  return { namespace, name: `${name}-${HASH}-${i.toString(36)}` };
}

/** All kinds of objects, each with how many there are and how one is made. */
export function objectsOf(
  population: Population,
): readonly { readonly resource: Resource; readonly count: number; make(i: number): KubeObject }[] {
  const deployments = deploymentsOf(population);
  return [
    { resource: NODES, count: population.nodes, make: node },
    { resource: LEASES, count: population.nodes, make: lease },
    { resource: DEPLOYMENTS, count: deployments, make: deployment },
    { resource: REPLICASETS, count: deployments, make: replicaSet },
    { resource: PODS, count: population.pods, make: (i) => pod(i, population) },
    { resource: SERVICES, count: population.services, make: (i) => service(i, deployments) },
  ];
}

function uid(kind: number, i: number): string {
  return `1c2d3e4f-${String(kind).padStart(4, "0")}-4000-8000-${i.toString(16).padStart(12, "0")}`;
}

const KIND = { node: 1, lease: 2, deployment: 3, replicaSet: 4, pod: 5, service: 6 } as const;

function metadata(kind: keyof typeof KIND, i: number, ref: Partial<ObjectMeta>): ObjectMeta {
  return { uid: uid(KIND[kind], i), generation: 1, creationTimestamp: MADE, ...ref };
}

function node(i: number): Node {
  const [high, low] = [i >> 8, i & 255];
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: `Kubelet${type}`,
    message: `kubelet has said that ${type} is ${status}`,
    lastHeartbeatTime: MADE,
    lastTransitionTime: MADE,
  });
  const size = { cpu: "32", memory: "131072000Ki", pods: "250", "ephemeral-storage": "203056560Ki" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: metadata("node", i, {
      name: nodeName(i),
      labels: {
        "kubernetes.io/hostname": nodeName(i),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": "north",
        "topology.kubernetes.io/zone": `north-${i % 3}`,
      },
    }),
    spec: { podCIDR: `100.${64 + high}.${low}.0/24`, podCIDRs: [`100.${64 + high}.${low}.0/24`] },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [
        condition("MemoryPressure", "False"),
        condition("DiskPressure", "False"),
        condition("PIDPressure", "False"),
        condition("Ready", "True"),
      ],
      addresses: [{ type: "InternalIP", address: hostIP(i) }, { type: "Hostname", address: nodeName(i) }],
      nodeInfo: {
        machineID: uid(KIND.node, i),
        systemUUID: uid(KIND.node, i),
        bootID: uid(KIND.node, i),
        kernelVersion: "6.12.0",
        osImage: "Linux",
        containerRuntimeVersion: "containerd://2.1.0",
        kubeletVersion: "v1.36.3",
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "amd64",
      },
      images: Array.from({ length: 20 }, (_, k) => ({
        names: [`example.com/team/image-${i % 7}-${k}:v1.${k}.0`],
        sizeBytes: 100_000_000 + k,
      })),
    },
  };
}

const hostIP = (node: number) => `10.${64 + (node >> 16)}.${(node >> 8) & 255}.${node & 255}`;

/** The lease of node `i`, renewed at `renewTime`. */
export function lease(i: number, renewTime = new Date().toISOString().replace("Z", "000Z")): Lease {
  const owner = { apiVersion: "v1", kind: "Node", name: nodeName(i), uid: uid(KIND.node, i) };
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: metadata("lease", i, { name: nodeName(i), namespace: LEASE_NAMESPACE, ownerReferences: [owner] }),
    spec: { holderIdentity: nodeName(i), leaseDurationSeconds: 40, renewTime },
  };
}

/** Of whom pods are found, by their labels. */
const selectorOf = (deployment: number) => ({ app: deploymentRef(deployment).name });

function deployment(i: number): Deployment {
  const ref = deploymentRef(i);
  const condition = (type: string, reason: string) => ({
    type,
    status: "True",
    reason,
    message: "",
    lastUpdateTime: MADE,
    lastTransitionTime: MADE,
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata("deployment", i, {
      ...ref,
      labels: selectorOf(i),
      annotations: { "deployment.kubernetes.io/revision": "1" },
    }),
    spec: { replicas: REPLICAS, selector: { matchLabels: selectorOf(i) }, template: podTemplate(ref.name) },
    status: {
      observedGeneration: 1,
      replicas: REPLICAS,
      updatedReplicas: REPLICAS,
      readyReplicas: REPLICAS,
      availableReplicas: REPLICAS,
      conditions: [
        condition("Available", "MinimumReplicasAvailable"),
        condition("Progressing", "NewReplicaSetAvailable"),
      ],
    },
  };
}

function replicaSet(i: number): ReplicaSet {
  const { namespace, name } = deploymentRef(i);
  const labels = { ...selectorOf(i), "pod-template-hash": HASH };
  const template = podTemplate(name);
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: metadata("replicaSet", i, {
      namespace,
      name: `${name}-${HASH}`,
      labels,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": String(REPLICAS),
        "deployment.kubernetes.io/max-replicas": String(REPLICAS * 1.25),
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "Deployment",
        name,
        uid: uid(KIND.deployment, i),
        controller: true,
        blockOwnerDeletion: true,
      }],
    }),
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
    status: {
      observedGeneration: 1,
      replicas: REPLICAS,
      fullyLabeledReplicas: REPLICAS,
      readyReplicas: REPLICAS,
      availableReplicas: REPLICAS,
    },
  };
}

function pod(i: number, { nodes }: Population): Pod {
  const { metadata: like, spec, status } = realisticPod(i) as Pod;
  const owner = Math.floor(i / REPLICAS);
  const ip = `100.${64 + ((i >> 16) & 63)}.${(i >> 8) & 255}.${i & 255}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata("pod", i, {
      ...podRef(i),
      generateName: `${deploymentRef(owner).name}-${HASH}-`,
      labels: { ...like?.labels, ...selectorOf(owner), "pod-template-hash": HASH },
      annotations: like?.annotations,
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: `${deploymentRef(owner).name}-${HASH}`,
        uid: uid(KIND.replicaSet, owner),
        controller: true,
        blockOwnerDeletion: true,
      }],
      managedFields: like?.managedFields,
    }),
    spec: { ...spec!, nodeName: nodeName(i % nodes) },
    status: { ...status, hostIP: hostIP(i % nodes), podIP: ip, podIPs: [{ ip }], hostIPs: [{ ip: hostIP(i % nodes) }] },
  };
}

/** One after the other, Services select the pods of Deployment after Deployment, and begin again; without addresses of their own. */
function service(i: number, deployments: number): Service {
  const { namespace } = deploymentRef(i % deployments);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("service", i, { namespace, name: `service-${i}` }),
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      clusterIPs: ["None"],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      selector: selectorOf(i % deployments),
      ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
    },
  };
}
