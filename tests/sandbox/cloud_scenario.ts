/** A cluster whose machines are in a simulated cloud, and what is right about both. */
import { assert, assertEquals } from "@std/assert";
import type { TestCluster, TestClusterOptions } from "kubeloop/testing";
import { findCondition, type Node, NODES, type Service, SERVICES } from "../../src/api/mod.ts";

/** The controllers that ask a cloud, and those that they work with. */
export const CLOUD_CLUSTER: TestClusterOptions = {
  cloud: true,
  flags: [
    "--controllers=cloud-node,cloud-node-lifecycle,service,route,node-ipam-controller,node-lifecycle-controller",
    "--allocate-node-cidrs",
    "--cluster-cidr=10.224.0.0/12",
    "--service-cluster-ip-range=10.96.0.0/16",
  ],
};

const SHUTDOWN_TAINT = "node.cloudprovider.kubernetes.io/shutdown";
const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

export function balanced(name: string, port = 80): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { type: "LoadBalancer", selector: { app: name }, ports: [{ port }] },
  };
}

export async function nodesOf({ client }: TestCluster): Promise<readonly Node[]> {
  return (await client.list(NODES)).items;
}

export async function servicesOf({ client }: TestCluster): Promise<readonly Service[]> {
  return (await client.list(SERVICES, { namespace: "default" })).items;
}

export function isShutdown({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === SHUTDOWN_TAINT) ?? false;
}

/** Fails unless cluster and cloud say the same of each other, and all machines run. */
export async function assertRight(cluster: TestCluster): Promise<void> {
  const { cloud } = cluster;
  const nodes = [...await nodesOf(cluster)].sort(byName);
  const machines = [...cloud.machines].sort((a, b) => a.name < b.name ? -1 : 1);
  assertEquals(nodes.map(({ metadata }) => metadata?.name), machines.map(({ name }) => name), "a Node each machine");
  for (const [i, { metadata, spec, status }] of nodes.entries()) {
    const { name, id, zone, region, instanceType, internalAddress, externalAddress } = machines[i];
    assertEquals(spec?.providerID, id, name);
    assertEquals(spec?.taints ?? [], [], `${name} has no taint`);
    assertEquals(findCondition(status?.conditions, "Ready")?.status, "True", `${name} is ready`);
    assertEquals(findCondition(status?.conditions, "NetworkUnavailable")?.reason, "RouteCreated", name);
    assertEquals(
      ["topology.kubernetes.io/zone", "topology.kubernetes.io/region", "node.kubernetes.io/instance-type"]
        .map((key) => metadata?.labels?.[key]),
      [zone, region, instanceType],
    );
    assertEquals(status?.addresses, [
      { type: "InternalIP", address: internalAddress },
      { type: "ExternalIP", address: externalAddress },
      { type: "Hostname", address: name },
    ]);
  }
  const ranges = nodes.flatMap(({ metadata, spec }) =>
    (spec?.podCIDRs ?? []).map((range) => `${range} to ${metadata?.name}`)
  );
  const routes = cloud.routes.map(({ destinationCIDR, targetNode }) => `${destinationCIDR} to ${targetNode}`);
  assertEquals(routes.toSorted(), ranges.toSorted(), "a route each range");
  assertEquals(routes.length, nodes.length, "each node has a range");
  const services = await servicesOf(cluster);
  const wanted = services.filter(({ spec }) => spec?.type === "LoadBalancer");
  const targets = machines.map(({ id }) => id).sort();
  assertEquals(
    cloud.balancers.toSorted((a, b) => a.service < b.service ? -1 : 1).map(({ uid, addresses, ports, targets }) => ({
      uid,
      addresses,
      ports: ports.map(({ port, nodePort }) => `${port} ${nodePort}`),
      targets,
    })),
    wanted.toSorted(byName).map(({ metadata, spec, status }) => ({
      uid: metadata?.uid,
      addresses: status?.loadBalancer?.ingress?.map(({ ip }) => ip),
      ports: spec?.ports?.map(({ port, nodePort }) => `${port} ${nodePort}`),
      targets,
    })),
    "a balancer each Service",
  );
  for (const { metadata, spec, status } of services) {
    const isWanted = spec?.type === "LoadBalancer";
    assertEquals(metadata?.finalizers ?? [], isWanted ? [FINALIZER] : [], metadata?.name);
    if (!isWanted) assertEquals(status?.loadBalancer?.ingress ?? [], [], metadata?.name);
  }
  const addresses = cloud.balancers.flatMap(({ addresses }) => addresses);
  assertEquals(new Set(addresses).size, addresses.length, "no address twice");
}

/** Has every deletion of a Node judged: its machine must be gone, and it must not be ready. Throws what was found wrong. */
export function watchDeletions({ apiServer, cloud }: TestCluster): () => void {
  const wrong: string[] = [];
  apiServer.onWrite(({ type, collection, object }) => {
    if (collection !== "nodes" || type !== "DELETED") return;
    const { metadata, spec, status } = object as Node;
    const name = metadata?.name ?? "";
    if (cloud.machines.some(({ id }) => id === spec?.providerID)) {
      wrong.push(`Node ${name} is deleted; its machine exists`);
    }
    const ready = findCondition(status?.conditions, "Ready")?.status;
    if (ready === "True") wrong.push(`Node ${name} is deleted; it is ready`);
  });
  return () => assert(wrong.length === 0, wrong.join("\n"));
}

function byName(a: { readonly metadata?: { readonly name?: string } }, b: typeof a): number {
  return (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;
}
