import { formatTime, type Node, NODES, type Pod, PODS } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { InformerFactory, type SharedInformer } from "../../cache/mod.ts";
import { type Client, isConflict, isNotFound } from "../../client/mod.ts";
import { DelayedActions } from "./delayed_actions.ts";
import { addressIn, nodeObject } from "./node_object.ts";
import { type NodeWriter, registerNode, renewLeases } from "./node_writes.ts";
import { outcomeOf, type PodOutcome, podStatus } from "./pod_status.ts";
import { needsNode, RoundRobin } from "./scheduler.ts";

/** Settings of a {@link NodeSimulator}; all but the world and the client have defaults. */
export interface NodeSimulatorOptions {
  readonly world: World;
  readonly client: Client;
  /** Shared informers to use; its own by default. */
  readonly informers?: InformerFactory;
  readonly nodeCount?: number;
  /** Node names are this and a number from 0. */
  readonly namePrefix?: string;
  readonly capacity?: Readonly<Record<string, string>>;
  /** Additional labels of the `index`th node, such as its zone. */
  labelsOf?(index: number): Readonly<Record<string, string>>;
  /** From a pod's binding until it is ready. */
  readonly podStartMs?: number;
  /** From a pod's deletion until it is gone. */
  readonly podStopMs?: number;
  /** How long pods run that are meant to end (restartPolicy other than Always). */
  readonly podRunMs?: number;
  /** Whether pods without a node are bound, in turn, where no scheduler runs. */
  readonly schedule?: boolean;
  /** Whether nodes renew a lease every 10 seconds. */
  readonly leases?: boolean;
  /** Pods that are acted upon at the same time. */
  readonly workers?: number;
}

type Act = "bind" | "start" | "finish" | "stop";

const DEFAULT_CAPACITY = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10000" };

/**
 * Nodes without machines: registers Node objects and does for the pods bound to them what kubelets would. It is a client like any
 * other and works against the embedded API server and a real one alike.
 *
 * Contract:
 * 1. A pod bound to one of the nodes is Running and Ready `podStartMs` later, unless one of its images cannot be pulled.
 * 2. A pod whose image cannot be pulled (see {@link isUnpullable}) waits with ImagePullBackOff and never becomes ready.
 * 3. A pod being deleted is removed `podStopMs` later, by DELETE with no grace and its uid as precondition.
 * 4. With `schedule`, a pod that waits for the default scheduler is bound to the next node that fits.
 * 5. When `run` resolves, no timer and no request of it is left.
 */
export class NodeSimulator {
  readonly #options: NodeSimulatorOptions;
  readonly #world: World;
  readonly #client: Client;
  readonly #informers: InformerFactory;
  readonly #pods: SharedInformer<Pod>;
  readonly #nodes: SharedInformer<Node>;
  readonly #actions: DelayedActions;
  readonly #turns = new RoundRobin();
  /** Address of each node by name. */
  readonly #addresses = new Map<string, string>();
  /** Uids of pods that were removed and linger because of finalizers. */
  readonly #stopped = new Set<string>();
  #podAddresses = 0;
  #signal: AbortSignal | undefined;

  constructor(options: NodeSimulatorOptions) {
    this.#options = options;
    this.#world = options.world;
    this.#client = options.client;
    this.#informers = options.informers ?? new InformerFactory({ ...options, name: "node-simulator" });
    this.#pods = this.#informers.informer(PODS);
    this.#nodes = this.#informers.informer(NODES);
    this.#actions = new DelayedActions({
      world: options.world,
      workers: options.workers ?? 20,
      run: (key) => this.#act(key),
    });
    const { nodeCount = 1, namePrefix = "node-" } = options;
    for (let i = 0; i < nodeCount; i++) this.#addresses.set(`${namePrefix}${i}`, addressIn("10.0", i));
  }

  get nodeNames(): readonly string[] {
    return [...this.#addresses.keys()];
  }

  /** Registers the nodes and plays their kubelets until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const writer: NodeWriter = { world: this.#world, client: this.#client, signal };
    for (const index of this.nodeNames.keys()) {
      if (!await registerNode(writer, this.#nodeObject(index))) return;
    }
    const handler = this.#pods.addEventHandler({
      onAdd: (pod) => this.#consider(pod),
      onUpdate: (_old, pod) => this.#consider(pod),
      onDelete: (pod) => void ("metadata" in pod && this.#forget(pod)),
    });
    // A cordon lifted or a node added may be what a pending pod waits for.
    const nodeHandler = this.#nodes.addEventHandler({
      onAdd: () => this.#considerPending(),
      onUpdate: () => this.#considerPending(),
    });
    this.#informers.start(signal);
    const knownNode = (name: string) => this.#nodes.lister.get(undefined, name) ?? { metadata: { name } };
    if (this.#options.leases) await renewLeases(writer, () => this.nodeNames.map(knownNode));
    else await aborted(signal);
    await this.#actions.close();
    await this.#pods.removeEventHandler(handler);
    await this.#nodes.removeEventHandler(nodeHandler);
    if (!this.#options.informers) await this.#informers.shutdown();
  }

  #nodeObject(index: number): Node {
    const { capacity = DEFAULT_CAPACITY, labelsOf } = this.#options;
    const name = this.nodeNames[index];
    const address = this.#addresses.get(name)!;
    const now = formatTime(this.#world.clock.wallMs());
    return nodeObject({ name, address, capacity, labels: labelsOf?.(index) ?? {}, now });
  }

  #considerPending(): void {
    if (!this.#options.schedule) return;
    for (const pod of this.#pods.lister.list()) if (needsNode(pod)) this.#consider(pod);
  }

  #consider(pod: Pod): void {
    const act = this.#nextAct(pod);
    if (!act) return;
    const { podStartMs = 500, podStopMs = 100, podRunMs = 1000 } = this.#options;
    const delays: Record<Act, number> = { bind: 0, start: podStartMs, finish: podRunMs, stop: podStopMs };
    const { namespace, name, uid } = pod.metadata ?? {};
    this.#actions.schedule(`${act}/${namespace}/${name}/${uid}`, delays[act]);
  }

  /** What has to be done about a pod next. */
  #nextAct(pod: Pod): Act | undefined {
    const { metadata, spec, status } = pod;
    if (this.#options.schedule && needsNode(pod)) return "bind";
    if (!this.#addresses.has(spec?.nodeName ?? "")) return undefined;
    if (metadata?.deletionTimestamp) return this.#stopped.has(metadata.uid ?? "") ? undefined : "stop";
    if (status?.phase === "Running") return spec?.restartPolicy === "Always" ? undefined : "finish";
    if (status?.phase === "Succeeded" || status?.phase === "Failed") return undefined;
    const waits = status?.containerStatuses?.some(({ state }) => state?.waiting);
    return waits && outcomeOf(pod) === "waiting" ? undefined : "start";
  }

  #forget({ metadata }: Pod): void {
    this.#stopped.delete(metadata?.uid ?? "");
  }

  async #act(key: string): Promise<void> {
    const [act, namespace, name, uid] = key.split("/");
    const pod = this.#pods.lister.get(namespace, name);
    if (!pod || pod.metadata?.uid !== uid || this.#nextAct(pod) !== act) return;
    try {
      if (act === "bind") await this.#bind(pod);
      else if (act === "stop") await this.#stop(pod);
      else await this.#writeStatus(pod, act === "finish" ? "succeeded" : outcomeOf(pod));
    } catch (error) {
      // The pod is gone, or another one by now: whatever comes next will be heard of.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #bind(pod: Pod): Promise<void> {
    const nodes = this.#nodes.lister.list().filter(({ metadata }) => this.#addresses.has(metadata?.name ?? ""));
    const node = this.#turns.choose(pod, nodes.sort(byName));
    if (!node) return;
    const { namespace = "", name = "", uid } = pod.metadata ?? {};
    const target = { apiVersion: "v1", kind: "Node", name: node.metadata?.name };
    const body = { apiVersion: "v1", kind: "Binding", metadata: { namespace, name, uid }, target };
    await this.#client.createSubresource(PODS, { namespace, name }, {
      subresource: "binding",
      body,
      signal: this.#signal,
    });
  }

  async #writeStatus(pod: Pod, outcome: PodOutcome): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata ?? {};
    const hostIP = this.#addresses.get(pod.spec?.nodeName ?? "")!;
    const podIP = pod.status?.podIP ?? (pod.spec?.hostNetwork ? hostIP : addressIn("10.244", this.#podAddresses++));
    const now = formatTime(this.#world.clock.wallMs());
    const body = { metadata: { uid }, status: podStatus(pod, outcome, { hostIP, podIP, now }) };
    await this.#client.patch(PODS, { namespace, name }, {
      type: "strategic",
      body,
      subresource: "status",
      signal: this.#signal,
    });
  }

  async #stop(pod: Pod): Promise<void> {
    const { namespace, name = "", uid = "" } = pod.metadata ?? {};
    await this.#client.delete(PODS, { namespace, name }, {
      gracePeriodSeconds: 0,
      preconditions: { uid },
      signal: this.#signal,
    });
    if (pod.metadata?.finalizers?.length) this.#stopped.add(uid);
  }
}

function byName(a: Node, b: Node): number {
  return (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
