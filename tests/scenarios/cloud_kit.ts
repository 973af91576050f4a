/** What scenarios with a cloud work with, and how they write down what became of it. */
import {
  CONFIGMAPS,
  type KubeObject,
  type Node,
  type NodeAddress,
  type NodeCondition,
  NODES,
  type Service,
  SERVICES,
  type ServiceSpec,
} from "../../src/api/mod.ts";
import type { CloudErrorKind, CloudFailure, InstanceMetadata } from "../../src/cloud/mod.ts";
import type { AskedCloud, ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

/** A scenario whose cluster has a cloud. */
export interface CloudScenario {
  readonly name: string;
  run(kit: Kit, cloud: ScriptedCloud): Promise<void>;
}

/** The scenarios where it is this cloud. */
export function withCloud(scenarios: readonly CloudScenario[], cloud: ScriptedCloud): readonly Scenario[] {
  return scenarios.map(({ name, run }) => ({ name, run: (kit) => run(kit, cloud) }));
}

/** Each kind of failure there is. */
export const FAILURES: readonly (CloudErrorKind | "other")[] = [
  "instanceNotFound",
  "notImplemented",
  "implementedElsewhere",
  "conflict",
  "retry",
  "other",
];

/** As upstream's errors without a message of their own say it. */
const MESSAGES: Readonly<Partial<Record<string, string>>> = {
  instanceNotFound: "instance not found",
  notImplemented: "unimplemented",
  implementedElsewhere: "implemented by alternate to cloud provider",
};

/** A kind as names have it: `not-implemented`. */
export function inName(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function failure(kind: CloudErrorKind | "other"): CloudFailure {
  return { kind, message: MESSAGES[kind] ?? "the cloud is unwell", ...kind === "retry" && { afterMs: 1_000 } };
}

/** Looks at a pass of 100 ms each: what should not happen has time to happen. */
const LOOKS = 12;

/** Waits a while. */
export async function linger(kit: Kit, looks = LOOKS): Promise<void> {
  await kit.untilAll(CONFIGMAPS, "have been looked at for a while", () => --looks <= 0);
}

/** Waits until `method` was asked for so often about something. */
export async function untilAsked(
  kit: Kit,
  cloud: ScriptedCloud,
  { method, about, times = 1 }: { readonly method: string; readonly about: string; readonly times?: number },
): Promise<void> {
  await kit.untilAll(
    CONFIGMAPS,
    `${method} was asked for ${times} times about ${about}`,
    () => cloud.times(method, about) >= times,
  );
}

/** Waits until `method` was asked for `more` times from now on. */
export async function untilAskedAgain(
  kit: Kit,
  cloud: ScriptedCloud,
  { method, about, more = 2 }: { readonly method: string; readonly about: string; readonly more?: number },
): Promise<void> {
  await untilAsked(kit, cloud, { method, about, times: cloud.times(method, about) + more });
}

// Nodes

const UNINITIALIZED = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };

/** The name that a node of this scenario has on the server. */
export function nodeOf(kit: Kit, name: string): string {
  return `${kit.namespace}.${name}`;
}

/** What is usually known of the machine of a node. */
export function metadataOf(kit: Kit, name: string, more: Partial<InstanceMetadata> = {}): InstanceMetadata {
  return {
    providerID: `judge://${nodeOf(kit, name)}`,
    instanceType: "large",
    nodeAddresses: [{ type: "InternalIP", address: "10.1.0.1" }, { type: "ExternalIP", address: "203.0.113.1" }],
    zone: "zone-1",
    region: "region-1",
    ...more,
  };
}

export function address(type: string, address: string): NodeAddress {
  return { type, address };
}

export interface CloudNodeTraits {
  /** `True` by default; no condition at all where this is empty. */
  readonly ready?: string;
  /** Whether it waits for its cloud. Default true. */
  readonly tainted?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly addresses?: readonly NodeAddress[];
  readonly conditions?: readonly NodeCondition[];
  readonly spec?: Node["spec"];
}

/** Makes a node, as a kubelet registers it. */
export async function addCloudNode(kit: Kit, name: string, traits: CloudNodeTraits = {}): Promise<Node> {
  const { ready = "True", tainted = true, labels, annotations, finalizers, conditions = [], spec = {} } = traits;
  const addresses = traits.addresses ?? [address("Hostname", nodeOf(kit, name)), address("InternalIP", "10.9.0.9")];
  const taints = [...spec.taints ?? [], ...tainted ? [UNINITIALIZED] : []];
  return await kit.create(NODES, {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeOf(kit, name),
      labels: { ...labels },
      annotations: { ...annotations },
      finalizers: [...finalizers ?? []],
    },
    spec: { ...spec, taints },
    status: { addresses: [...addresses], conditions: [...ready ? [readyCondition(ready)] : [], ...conditions] },
  });
}

/** Makes a node whose machine is as usual, or has this `metadata` besides. */
export async function addMachine(
  kit: Kit,
  cloud: ScriptedCloud,
  name: string,
  { metadata, ...traits }: CloudNodeTraits & { readonly metadata?: Partial<InstanceMetadata> } = {},
): Promise<Node> {
  cloud.machines.set(nodeOf(kit, name), { metadata: metadataOf(kit, name, metadata) });
  return await addCloudNode(kit, name, traits);
}

function readyCondition(status: string): NodeCondition {
  const time = "2026-01-01T00:00:00Z";
  return {
    type: "Ready",
    status,
    reason: "Said",
    message: "",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
}

/** Has a node say whether it is ready. */
export async function sayReady(kit: Kit, name: string, status: string): Promise<void> {
  const body = { status: { conditions: [readyCondition(status)] } };
  await kit.client.patch(NODES, { name: nodeOf(kit, name) }, { type: "strategic", body, subresource: "status" });
}

export async function changeNode(kit: Kit, name: string, body: unknown): Promise<void> {
  await kit.client.patch(NODES, { name: nodeOf(kit, name) }, { type: "merge", body });
}

export function untilNode(kit: Kit, name: string, what: string, holds: (node: Node) => unknown): Promise<Node> {
  return kit.until(NODES, nodeOf(kit, name), what, holds);
}

/** Waits until a node need not wait for its cloud any more. */
export async function untilInitialized(kit: Kit, name: string): Promise<void> {
  await untilNode(kit, name, "is initialized", (node) => !hasTaint(node, UNINITIALIZED.key));
}

export function hasTaint({ spec }: Node, wanted: string): boolean {
  return spec?.taints?.some(({ key }) => key === wanted) ?? false;
}

export function hasAddress({ status }: Node, wanted: string): boolean {
  return status?.addresses?.some(({ address }) => address === wanted) ?? false;
}

/**
 * Writes down how the nodes of the scenario are and what was asked about them, and takes them away.
 *
 * @param counts Which of the methods count; all by default.
 */
export async function concludeNodes(kit: Kit, cloud: ScriptedCloud, counts = /./): Promise<void> {
  const all = (await kit.list(NODES)).filter(({ metadata }) => metadata?.name?.startsWith(`${kit.namespace}.`));
  const ranges = all.flatMap(({ spec }) => spec?.podCIDRs ?? []);
  const data = Object.fromEntries(all.map((node) => [shortName(kit, node), JSON.stringify(pictureOfNode(node))]));
  const uids = new Map(all.map(({ metadata }) => [metadata!.uid!, `<uid of ${metadata!.name}>`]));
  await write(kit, "nodes", data, ranges);
  await write(kit, "asked-about-nodes", {
    calls: nodeCalls(kit, cloud, uids).filter((call) => counts.test(call)).join("\n"),
  }, ranges);
  for (const { metadata } of all) await removeNode(kit, metadata!.name!.slice(kit.namespace.length + 1));
}

/** Takes a node away, and waits until it is gone. */
export async function removeNode(kit: Kit, name: string): Promise<void> {
  const node = await kit.find(NODES, nodeOf(kit, name));
  if (node && !node.metadata?.deletionTimestamp) await kit.client.delete(NODES, { name: nodeOf(kit, name) });
  if (node?.metadata?.finalizers?.length) await changeNode(kit, name, { metadata: { finalizers: null } });
  await kit.untilGone(NODES, nodeOf(kit, name));
}

function shortName({ namespace }: Kit, { metadata }: Node): string {
  return metadata!.name!.slice(namespace.length + 1);
}

/** What is asked every second counts once. */
function nodeCalls(kit: Kit, cloud: ScriptedCloud, uids: ReadonlyMap<string, string>): readonly string[] {
  const own = cloud.asked.filter(({ about }) => about.startsWith(`${kit.namespace}.`));
  const texts = own.map(({ method, about, detail }) =>
    [method, about, ...detail.map((each) => uids.get(each) ?? each)].join(" ")
  );
  return [...new Set(texts)].sort();
}

function pictureOfNode(node: Node): unknown {
  const { metadata, spec, status } = node;
  return {
    labels: sorted(metadata?.labels),
    annotations: sorted(metadata?.annotations),
    providerID: spec?.providerID,
    podCIDRs: spec?.podCIDRs,
    taints: (spec?.taints ?? []).map(({ key, value, effect, timeAdded }) =>
      [key, value, effect, timeAdded !== undefined].join()
    ),
    addresses: status?.addresses,
    conditions: (status?.conditions ?? []).map((
      { type, status, reason, message, lastHeartbeatTime, lastTransitionTime },
    ) => [type, status, reason, message, Boolean(lastHeartbeatTime), Boolean(lastTransitionTime)]),
    managers: managersOf(node),
  };
}

function managersOf({ metadata }: KubeObject): unknown {
  return (metadata?.managedFields ?? [])
    .filter(({ manager }) => manager === "cloud-controller-manager")
    .map(({ operation, subresource = "", fieldsV1 }) => ({ operation, subresource, fieldsV1 }))
    .sort((a, b) => a.subresource < b.subresource ? -1 : 1);
}

function sorted(values: Readonly<Record<string, string>> = {}): unknown {
  return Object.entries(values).sort(([a], [b]) => a < b ? -1 : 1);
}

/** Which ranges a scenario gets depends on how many came before. */
async function write(
  kit: Kit,
  name: string,
  data: Readonly<Record<string, string>>,
  ranges: readonly string[] = [],
): Promise<void> {
  const without = (text: string) =>
    ranges.reduce(
      (renamed, range) => renamed.replaceAll(range, range.includes(":") ? "<range of 6>" : "<range>"),
      text,
    );
  const texts = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, without(text)]));
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: texts });
}

// Services

export const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

/** Makes a Service `s`, or of another name, that wants a balancer unless its `spec` says otherwise. */
export async function addCloudService(
  kit: Kit,
  spec: Partial<ServiceSpec> = {},
  metadata: KubeObject["metadata"] = {},
): Promise<Service> {
  return await kit.create(SERVICES, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", ...metadata },
    spec: { type: "LoadBalancer", selector: { app: "s" }, ports: [{ port: 80, protocol: "TCP" }], ...spec },
  });
}

export async function changeService(kit: Kit, body: unknown, name = "s"): Promise<void> {
  await kit.merge(SERVICES, name, body);
}

export function untilService(
  kit: Kit,
  what: string,
  holds: (service: Service) => unknown,
  name = "s",
): Promise<Service> {
  return kit.until(SERVICES, name, what, holds);
}

/** How the cloud knows a Service. */
export function aboutService({ namespace }: Kit, name = "s"): string {
  return `${namespace}/${name}`;
}

/** Waits until a Service has an address. */
export async function untilBalanced(kit: Kit, name = "s"): Promise<void> {
  await untilService(kit, "has an address", ({ status }) => status?.loadBalancer?.ingress?.length, name);
}

/** Waits until the Service was ensured so often. */
export async function untilEnsured(kit: Kit, cloud: ScriptedCloud, times: number, name = "s"): Promise<void> {
  await untilAsked(kit, cloud, { method: "ensureLoadBalancer", about: aboutService(kit, name), times });
}

/** Makes a change of the Service, and waits until its balancer was ensured for it. */
export async function changeAndEnsure(kit: Kit, cloud: ScriptedCloud, body: unknown, name = "s"): Promise<void> {
  const times = cloud.times("ensureLoadBalancer", aboutService(kit, name)) + 1;
  await changeService(kit, body, name);
  await untilEnsured(kit, cloud, times, name);
  await linger(kit, 3);
}

/** Waits a while, writes down how the Services of the scenario are and what was asked about them, and takes them away. */
export async function concludeServices(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  await linger(kit);
  const services = await kit.list(SERVICES);
  const data = Object.fromEntries(
    services.map((service) => [service.metadata!.name!, JSON.stringify(pictureOfService(service))]),
  );
  await write(kit, "services", data);
  await write(kit, "asked-about-services", callsByService(kit, cloud));
  for (const method of ["getLoadBalancer", "ensureLoadBalancer", "updateLoadBalancer", "ensureLoadBalancerDeleted"]) {
    for (const { metadata } of services) cloud.mend(method, aboutService(kit, metadata!.name!));
  }
  for (const { metadata } of services) {
    const ref = { namespace: kit.namespace, name: metadata!.name! };
    if (!metadata?.deletionTimestamp) await kit.client.delete(SERVICES, ref);
    const others = metadata?.finalizers?.filter((each) => each !== FINALIZER) ?? [];
    if (others.length > 0) await changeService(kit, { metadata: { finalizers: null } }, ref.name);
    await kit.untilGone(SERVICES, ref.name);
  }
}

/** All calls about each Service, in their order. */
function callsByService(kit: Kit, cloud: ScriptedCloud): Readonly<Record<string, string>> {
  const own = cloud.asked.filter(({ about }) => about.startsWith(`${kit.namespace}/`));
  const calls: Record<string, string> = {};
  for (const each of own) {
    const name = each.about.slice(kit.namespace.length + 1);
    calls[name] = [...name in calls ? [calls[name]] : [], callText(each)].join("\n");
  }
  return calls;
}

function callText({ method, detail }: AskedCloud): string {
  return [method, ...detail].join(" ");
}

function pictureOfService(service: Service): unknown {
  const { metadata, spec, status } = service;
  return {
    labels: sorted(metadata?.labels),
    annotations: sorted(metadata?.annotations),
    finalizers: metadata?.finalizers,
    isGoing: metadata?.deletionTimestamp !== undefined,
    type: spec?.type,
    class: spec?.loadBalancerClass,
    families: spec?.ipFamilies,
    hasNodePorts: spec?.ports?.map(({ nodePort }) => nodePort !== undefined),
    status,
    managers: managersOf(service),
  };
}
