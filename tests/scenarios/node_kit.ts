/** Nodes without kubelets, which scenarios let speak and fall silent, and pods on them. */
import {
  CONFIGMAPS,
  EVENTS,
  LEASES,
  type Node,
  type NodeCondition,
  NODES,
  type NodeSpec,
  type Pod,
  PODS,
  type Taint,
  type Toleration,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

const LEASE_NAMESPACE = "kube-node-lease";
/** Of so many looks at what is waited for, one goes along with signs of life. */
const LOOKS_PER_SIGN = 4;
/** However long looks take, as on a slow machine, signs are not further apart than one look more than this. */
const LONGEST_SILENCE_MS = 1_000;
/** What nodes are called by which the passing of time is seen. */
const HOURGLASS = "hourglass";
const PRESSURES = ["MemoryPressure", "DiskPressure", "PIDPressure"];

export interface NodeTraits {
  /** Within those of the scenario; `home` by default. */
  readonly zone?: string;
  /** What it says of itself; nothing at all where this is `undefined`. `True` by default. */
  readonly ready?: string | undefined;
  /** Whether it has a lease. Default true. */
  readonly lease?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
}

/** What a scenario's nodes have said. */
interface Speech {
  signs: number;
  looks: number;
  livedMs: number;
  hourglasses: number;
  readonly alive: Set<string>;
}

const speeches = new WeakMap<Kit, Speech>();

function speechOf(kit: Kit): Speech {
  let speech = speeches.get(kit);
  if (!speech) speeches.set(kit, speech = { signs: 0, looks: 0, livedMs: 0, hourglasses: 0, alive: new Set() });
  return speech;
}

/** The name that a node of this scenario has on the server. */
export function nodeName(kit: Kit, name: string): string {
  return `${kit.namespace}.${name}`;
}

/** Makes a node; it gives signs of life until {@link silence}. */
export async function addNode(kit: Kit, name: string, traits: NodeTraits = {}): Promise<void> {
  const { zone = "home", lease = true, labels, spec } = traits;
  const fullName = nodeName(kit, name);
  const metadata = { name: fullName, labels: { "topology.kubernetes.io/zone": `${kit.namespace}-${zone}`, ...labels } };
  await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata, spec });
  const ready = "ready" in traits ? traits.ready : "True";
  if (ready !== undefined) await say(kit, name, { Ready: ready });
  if (!lease) return;
  const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: fullName } };
  await kit.client.create(LEASES, { ...body, spec: { renewTime: nextTime(kit) } }, { namespace: LEASE_NAMESPACE });
  speechOf(kit).alive.add(name);
}

/** Has a node report conditions, with a heartbeat. */
export async function say(kit: Kit, name: string, conditions: Readonly<Record<string, string>>): Promise<void> {
  const lastHeartbeatTime = nextTime(kit).replace(/\.\d+Z/, "Z");
  const said = { ...Object.fromEntries(PRESSURES.map((type) => [type, "False"])), ...conditions };
  const list = Object.entries(said).map(([type, status]): NodeCondition => ({
    type,
    status,
    reason: "Said",
    message: "",
    lastHeartbeatTime,
    lastTransitionTime: lastHeartbeatTime,
  }));
  const body = { status: { conditions: list } };
  await kit.client.patch(NODES, { name: nodeName(kit, name) }, { type: "strategic", body, subresource: "status" });
}

/** Has nodes give no sign of life any more. */
export function silence(kit: Kit, ...names: readonly string[]): void {
  for (const name of names) speechOf(kit).alive.delete(name);
}

/** Has nodes give signs of life again. */
export async function wake(kit: Kit, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    speechOf(kit).alive.add(name);
    await renew(kit, name);
    await say(kit, name, { Ready: "True" });
  }
}

/** Another time for each call: nobody compares them with a clock. */
function nextTime(kit: Kit): string {
  const sign = ++speechOf(kit).signs;
  return `${new Date(Date.UTC(2026, 0, 1) + sign * 1000).toISOString().slice(0, 19)}.000000Z`;
}

async function renew(kit: Kit, name: string): Promise<void> {
  const ref = { namespace: LEASE_NAMESPACE, name: nodeName(kit, name) };
  await kit.client.patch(LEASES, ref, { type: "merge", body: { spec: { renewTime: nextTime(kit) } } });
}

/** Signs of life of all nodes that are not silent, now and then. */
async function live(kit: Kit): Promise<void> {
  const speech = speechOf(kit);
  const nowMs = performance.now();
  if (speech.looks++ % LOOKS_PER_SIGN !== 0 && nowMs - speech.livedMs < LONGEST_SILENCE_MS) return;
  speech.livedMs = nowMs;
  await Promise.all([...speech.alive].map((name) => renew(kit, name)));
}

/** Waits until `holds` for a node, while those that are not silent live on. */
export function untilNode(kit: Kit, name: string, what: string, holds: (node: Node) => unknown): Promise<Node> {
  return kit.until(NODES, nodeName(kit, name), what, async (node) => {
    await live(kit);
    return holds(node);
  });
}

/** Waits until `holds` for a pod, while nodes that are not silent live on. */
export function untilPod(kit: Kit, name: string, what: string, holds: (pod: Pod) => unknown): Promise<Pod> {
  return kit.until(PODS, name, what, async (pod) => {
    await live(kit);
    return holds(pod);
  });
}

/** `unreachable:NoExecute not-ready:NoSchedule`, of a node's taints by its conditions; others with their whole keys. */
export function taintsOf({ spec }: Node): string {
  const texts = (spec?.taints ?? []).map(({ key, value, effect }) =>
    `${key.replace("node.kubernetes.io/", "")}${value ? `=${value}` : ""}:${effect}`
  );
  return texts.sort().join(" ");
}

/** Waits until a node has these taints and no others. */
export function untilTainted(kit: Kit, name: string, taints: string): Promise<Node> {
  return untilNode(kit, name, `has the taints "${taints}"`, (node) => taintsOf(node) === taints);
}

/** What a node says of itself, or what is said of it. */
export function readyOf({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** Waits until a node that gives no sign of life would be found out: longer than any silence may last. */
export async function passTime(kit: Kit): Promise<void> {
  const name = `${HOURGLASS}-${++speechOf(kit).hourglasses}`;
  await addNode(kit, name, { zone: name });
  silence(kit, name);
  await untilNode(kit, name, "is found silent", (node) => readyOf(node) === "Unknown");
}

/** Gives a node taints besides those it has, or instead of those with these keys. */
export async function taint(kit: Kit, name: string, ...taints: readonly Taint[]): Promise<void> {
  await changeTaints(kit, name, (present) => [...without(present, taints.map(({ key }) => key)), ...taints]);
}

export async function untaint(kit: Kit, name: string, ...keys: readonly string[]): Promise<void> {
  await changeTaints(kit, name, (present) => without(present, keys));
}

function without(taints: readonly Taint[], keys: readonly string[]): Taint[] {
  return taints.filter(({ key }) => !keys.includes(key));
}

async function changeTaints(kit: Kit, name: string, change: (present: readonly Taint[]) => Taint[]): Promise<void> {
  await untilNode(kit, name, "can be tainted", async ({ metadata, spec }) => {
    const { resourceVersion } = metadata!;
    const body = { metadata: { resourceVersion }, spec: { taints: change(spec?.taints ?? []) } };
    await kit.client.patch(NODES, { name: metadata!.name! }, { type: "merge", body });
    return true;
  });
}

export interface PodTraits {
  /** The name of its node; none where this is absent. */
  readonly node?: string;
  readonly tolerations?: Toleration[];
  readonly phase?: string;
  /** Whether it is as it is before it is bound. */
  readonly isBoundLater?: boolean;
  /** Its condition Ready; none where this is empty. Default `True`. */
  readonly ready?: string;
}

/** Makes a pod that runs on a node, and stays there until somebody removes it by force. */
export async function addPod(kit: Kit, name: string, traits: PodTraits = {}): Promise<void> {
  const { node, tolerations, phase = "Running", ready = "True", isBoundLater = false } = traits;
  await kit.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      nodeName: node && !isBoundLater ? nodeName(kit, node) : undefined,
      schedulerName: "nobody",
      tolerations,
      containers: [{ name: "c", image: "nginx:1" }],
    },
  });
  if (!node) return;
  const conditions = ready ? [{ type: "Ready", status: ready, lastTransitionTime: "2026-01-01T00:00:00Z" }] : [];
  await kit.client.patch(PODS, { namespace: kit.namespace, name }, {
    type: "strategic",
    body: { status: { phase, conditions } },
    subresource: "status",
  });
  if (!isBoundLater) return;
  const target = { apiVersion: "v1", kind: "Node", name: nodeName(kit, node) };
  const body = { apiVersion: "v1", kind: "Binding", metadata: { name }, target };
  await kit.client.createSubresource(PODS, { namespace: kit.namespace, name }, { subresource: "binding", body });
}

/** Waits until a pod is being deleted. */
export function untilEvicted(kit: Kit, name: string): Promise<Pod> {
  return untilPod(kit, name, "is being deleted", ({ metadata }) => metadata?.deletionTimestamp);
}

/** Waits until a pod is not ready. */
export function untilUnready(kit: Kit, name: string): Promise<Pod> {
  const isUnready = ({ status }: Pod) =>
    status?.conditions?.some((each) => each.type === "Ready" && each.status === "False");
  return untilPod(kit, name, "is not ready", isUnready);
}

/** Writes down how the nodes of the scenario are, and takes them away, so that nobody sees them fall silent. */
export async function conclude(kit: Kit): Promise<void> {
  const nodes = (await kit.list(NODES)).filter(({ metadata }) => metadata?.name?.startsWith(`${kit.namespace}.`));
  const described = nodes.filter((node) => !shortName(kit, node).startsWith(HOURGLASS));
  const data = Object.fromEntries(described.map((node) => [shortName(kit, node), textOf(node)]));
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nodes" }, data });
  const names = nodes.map(({ metadata }) => metadata!.name!);
  await untilTold(kit, names, "RegisteredNode");
  for (const name of names) await kit.client.delete(NODES, { name });
  await untilTold(kit, names, "RemovingNode");
  silence(kit, ...speechOf(kit).alive);
}

/** Waits until there is an event of each of these nodes. */
export async function untilTold(kit: Kit, names: readonly string[], reason: string): Promise<void> {
  await kit.untilAll(CONFIGMAPS, `each of its nodes has an event ${reason}`, async () => {
    await live(kit);
    const { items } = await kit.client.list(EVENTS, { namespace: "default", fieldSelector: `reason=${reason}` });
    const told = new Set(items.map(({ involvedObject }) => involvedObject?.name));
    return names.every((name) => told.has(name));
  });
}

function shortName({ namespace }: Kit, { metadata }: Node): string {
  return metadata!.name!.slice(namespace.length + 1);
}

/** Which range a node has depends on who came first. */
function textOf(node: Node): string {
  const ranges = node.spec?.podCIDRs ?? [];
  return ranges.reduce((text, range) => text.replaceAll(range, "<range>"), JSON.stringify(picture(node)));
}

function picture({ metadata, spec, status }: Node): unknown {
  const managers = (metadata?.managedFields ?? [])
    .filter(({ manager }) => manager === "kube-controller-manager")
    .map(({ operation, subresource = "", fieldsV1 }) => ({ operation, subresource, fieldsV1 }))
    .sort((a, b) => a.subresource < b.subresource ? -1 : 1);
  const labels = Object.entries(metadata?.labels ?? {}).filter(([key]) => !key.startsWith("topology")).sort();
  return {
    labels,
    // The API server itself gives some to new nodes, without a time, and they may be removed in between or not.
    taints: (spec?.taints ?? []).map(({ key, value, effect, timeAdded }) =>
      [key, value, effect, effect === "NoExecute" && timeAdded !== undefined].join()
    ).sort(),
    conditions: (status?.conditions ?? []).map((
      { type, status, reason, message, lastHeartbeatTime },
    ) => [type, status, reason, message, lastHeartbeatTime === metadata?.creationTimestamp]),
    managers,
  };
}
