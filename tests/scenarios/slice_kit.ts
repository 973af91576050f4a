/** What scenarios of Services and their slices begin with, and how they write down what has become of them. */
import {
  CONFIGMAPS,
  type Endpoint,
  ENDPOINTS,
  type Endpoints,
  type EndpointSlice,
  ENDPOINTSLICES,
  type EndpointSubset,
  type Node,
  NODES,
  type ObjectMeta,
  type Pod,
  PODS,
  type PodSpec,
  type Resource,
  type Service,
  SERVICES,
  type ServiceSpec,
} from "../../src/api/mod.ts";
import { isAlreadyExists } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";

/** The label by which slices name their Service. */
export const SERVICE_NAME = "kubernetes.io/service-name";
/** The label by which slices name who writes them. */
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
/** Who writes the slices of Services with a selector. */
export const SLICE_MANAGER = "endpointslice-controller.k8s.io";
/** Who mirrors Endpoints. */
export const MIRROR_MANAGER = "endpointslicemirroring-controller.k8s.io";

/** Nodes by the zone that they are in. */
const ZONES: Readonly<Record<string, string>> = { "slice-a": "zone-a", "slice-b": "zone-b", "slice-c": "zone-c" };

/** Makes the nodes that pods of these scenarios are on: ready, one in each of three zones, all alike. */
export async function ensureNodes(kit: Kit): Promise<void> {
  for (const [name, zone] of Object.entries(ZONES)) await ensureNode(kit, name, zone);
}

async function ensureNode(kit: Kit, name: string, zone: string): Promise<void> {
  const labels = { "topology.kubernetes.io/zone": zone };
  const conditions = [{ type: "Ready", status: "True" }];
  const amounts = { cpu: "4", memory: "8Gi", pods: "1000" };
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    status: { conditions, capacity: amounts, allocatable: amounts },
  };
  try {
    await kit.create(NODES, node);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  await kit.client.patch(NODES, { name }, { type: "merge", subresource: "status", body: { status: node.status } });
}

/** A pod that is to be. */
export interface PodPlan {
  readonly ip?: string | readonly string[];
  /** Default `slice-a`. */
  readonly node?: string;
  /** Default true. */
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

/** Makes a pod on a node on which nothing runs, and says that it does. */
export async function addPod(kit: Kit, name: string, plan: PodPlan = {}): Promise<void> {
  const { ip, node = "slice-a", labels = { app: "web" }, spec } = plan;
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels },
    spec: { containers: [{ name: "c", image: "nginx:1" }], nodeName: node, ...spec },
  };
  await kit.create(PODS, pod);
  if (ip !== undefined) await setPod(kit, name, plan);
}

/** Says of a pod which addresses it has, and whether it is ready. */
export async function setPod(kit: Kit, name: string, { ip, ready = true }: PodPlan): Promise<void> {
  const ips = typeof ip === "string" ? [ip] : ip ?? [];
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2024-01-02T03:04:05Z" }];
  const status = { phase: "Running", conditions, podIP: ips[0], podIPs: ips.map((text) => ({ ip: text })) };
  await kit.merge(PODS, name, { status }, "status");
}

/** Makes pods `p0`, `p1`, ... in the zones by turns. @param from The number of the first. */
export async function addPods(
  kit: Kit,
  count: number,
  { from = 0, ...plan }: PodPlan & { from?: number } = {},
): Promise<void> {
  const nodes = Object.keys(ZONES);
  const all = Array.from({ length: count }, (_, i) => from + i);
  while (all.length > 0) {
    await Promise.all(
      all.splice(0, 25).map((i) => addPod(kit, `p${i}`, { ip: numberedIp(i), node: nodes[i % nodes.length], ...plan })),
    );
  }
}

/** The address of a numbered pod. */
export function numberedIp(i: number): string {
  return `10.20.${i >> 8}.${i & 255}`;
}

/** Deletes a pod for good. */
export async function removePod(kit: Kit, name: string): Promise<void> {
  await kit.client.delete(PODS, { namespace: kit.namespace, name }, { gracePeriodSeconds: 0 });
}

/** Makes a Service that selects the pods of {@link addPod}. */
export function addService(
  kit: Kit,
  { name = "web", metadata, ...spec }: Partial<ServiceSpec> & { name?: string; metadata?: ObjectMeta } = {},
): Promise<Service> {
  return kit.create(SERVICES, serviceOf({ name, metadata, ...spec }));
}

/** A Service that selects the pods of {@link addPod}. */
export function serviceOf(
  { name = "web", metadata, ...spec }: Partial<ServiceSpec> & { name?: string; metadata?: ObjectMeta } = {},
): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, ...metadata },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec },
  };
}

/** Makes Endpoints that users write, and their Service, which selects nothing. */
export async function addEndpoints(
  kit: Kit,
  subsets: EndpointSubset[],
  { name = "db", ...metadata }: ObjectMeta = {},
): Promise<Endpoints> {
  await addService(kit, { name, selector: undefined });
  return await kit.create(ENDPOINTS, { apiVersion: "v1", kind: "Endpoints", metadata: { name, ...metadata }, subsets });
}

/** Makes a slice as one of the managers would have left it behind. */
export async function addSlice(
  kit: Kit,
  name: string,
  { service, endpoints, ports = [{ name: "", port: 80, protocol: "TCP" }], labels, ...more }:
    & { readonly service: Service; readonly labels?: Readonly<Record<string, string>> }
    & Partial<EndpointSlice>,
): Promise<void> {
  const { name: serviceName = "", uid = "" } = service.metadata ?? {};
  const owner = {
    apiVersion: "v1",
    kind: "Service",
    name: serviceName,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  await kit.create(ENDPOINTSLICES, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name,
      labels: { [SERVICE_NAME]: serviceName, [MANAGED_BY]: SLICE_MANAGER, ...labels },
      ownerReferences: [owner],
    },
    addressType: "IPv4",
    ports,
    endpoints: endpoints ?? [],
    ...more,
  });
}

/** The endpoints that numbered pods of {@link addPods} are. */
export async function numberedEndpoints(kit: Kit, count: number): Promise<Endpoint[]> {
  const uids = new Map((await kit.list(PODS)).map(({ metadata }) => [metadata?.name, metadata?.uid]));
  const zones = Object.entries(ZONES);
  return Array.from({ length: count }, (_, i) => ({
    addresses: [numberedIp(i)],
    conditions: { ready: true, serving: true, terminating: false },
    nodeName: zones[i % zones.length][0],
    targetRef: { kind: "Pod", namespace: kit.namespace, name: `p${i}`, uid: uids.get(`p${i}`) },
    zone: zones[i % zones.length][1],
  }));
}

/** Waits until `holds` for the slices of a Service. */
export async function untilSlices(
  kit: Kit,
  what: string,
  holds: (slices: readonly EndpointSlice[]) => unknown,
  service = "web",
): Promise<EndpointSlice[]> {
  const own = (slices: readonly EndpointSlice[]) =>
    slices.filter((slice) => slice.metadata?.labels?.[SERVICE_NAME] === service);
  return own(await kit.untilAll(ENDPOINTSLICES, what, (slices) => holds(own(slices))));
}

/** Waits until a Service has so many endpoints, so many of them ready, in as many slices as may be. */
export function untilEndpoints(kit: Kit, count: number, ready = count, service = "web"): Promise<EndpointSlice[]> {
  return untilSlices(kit, `${count} endpoints of ${service}, ${ready} of them ready`, (slices) => {
    const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
    return slices.length > 0 && endpoints.length === count &&
      endpoints.filter(({ conditions }) => conditions?.ready).length === ready;
  }, service);
}

/** The numbers of endpoints of slices, the largest first. */
export function sizesOf(slices: readonly EndpointSlice[]): number[] {
  return slices.map(({ endpoints }) => endpoints?.length ?? 0).sort((a, b) => b - a);
}

/** Waits until the slices of a Service have just these numbers of endpoints. */
export function untilSizes(kit: Kit, sizes: readonly number[], service = "web"): Promise<EndpointSlice[]> {
  const wanted = sizes.toSorted((a, b) => b - a).join();
  return untilSlices(kit, `slices of ${wanted} endpoints`, (slices) => sizesOf(slices).join() === wanted, service);
}

/** How much of slices is written down. */
export interface Telling {
  /** Whether only how many endpoints there are counts, since which of them are in which slice is left open. */
  readonly sizesOnly?: boolean;
  /** Whether to say if a slice has a trigger time. */
  readonly times?: boolean;
  /** Whether to say how often slices were written. */
  readonly writes?: boolean;
}

/** Writes down what the slices of the namespace are, for the comparison: the usual one knows nothing of what is random in them. */
export async function tellSlices(kit: Kit, telling: Telling = {}): Promise<void> {
  const uids = new Map<string, string>();
  for (const resource of [SERVICES, ENDPOINTS, PODS] as readonly Resource[]) {
    for (const { metadata } of await kit.list(resource)) {
      uids.set(metadata?.uid ?? "", `uid of ${resource.kind} ${metadata?.name}`);
    }
  }
  const texts = (await kit.list(ENDPOINTSLICES)).map((slice) => describe(slice, { uids, ...telling })).sort();
  const data = Object.fromEntries(texts.map((text, i) => [`slice-${i}`, text]));
  const name = `slices-${(await kit.list(CONFIGMAPS)).length}`;
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

function describe(
  { metadata = {}, addressType, ports, endpoints }: EndpointSlice,
  { uids, sizesOnly, times, writes }: Telling & { readonly uids: ReadonlyMap<string, string> },
): string {
  const { name = "", generateName, labels, annotations, ownerReferences, managedFields, generation } = metadata;
  const uid = (text = "") => uids.get(text) ?? "another uid";
  const shown = Object.entries(annotations ?? {}).filter(([key]) => times || !key.endsWith("last-change-trigger-time"))
    .map(([key, value]) => [key, key.endsWith("last-change-trigger-time") ? "<time>" : value]);
  const seen = (endpoints ?? []).map((endpoint) =>
    JSON.stringify(endpoint, (key, value) => key === "uid" ? uid(value) : key === "namespace" ? "<namespace>" : value)
  );
  return JSON.stringify({
    name: name.replace(/-?[a-z0-9]{5}$/, (random) => generateName || random.startsWith("-") ? "-?" : random),
    generateName,
    labels: sorted(labels),
    annotations: sorted(Object.fromEntries(shown)),
    owners: ownerReferences?.map((owner) => ({ ...owner, uid: uid(owner.uid) })),
    managers: managedFields?.map(({ manager, operation }) => `${manager} ${operation}`).filter((text) =>
      text.startsWith("kube-controller-manager")
    ),
    generation: writes ? generation : undefined,
    addressType,
    ports,
    endpoints: endpoints === null ? null : sizesOnly ? seen.length : seen.sort(),
  });
}

function sorted(texts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).sort(([a], [b]) => a < b ? -1 : 1));
}
