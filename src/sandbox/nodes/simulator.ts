import { type Node, NODES, type Pod, PODS } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { finalStateOf, type HandlerRegistration, InformerFactory, type SharedInformer } from "../../cache/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { PlainEvents } from "../common/mod.ts";
import { Fleet, type NodeMachines, type NodeSettings } from "./fleet.ts";
import { conditionsDiffer } from "./node_conditions.ts";
import { NodeDuties } from "./node_duties.ts";
import { PodWorkers } from "./pod_workers.ts";
import type { PodTimes } from "./plan.ts";
import { PodVolumes } from "./volumes.ts";

/** Settings of a {@link NodeSimulator}; all but the world and the client have defaults. Times are in milliseconds. */
export interface NodeSimulatorOptions extends Partial<PodTimes> {
  readonly world: World;
  readonly client: Client;
  /**
   * Has a node join the cluster before it registers, as kubelets do with a bootstrap token: resolves with the client by which the
   * node is known from then on. By default all share `client`.
   */
  join?(name: string, signal: AbortSignal): Promise<Client>;
  /**
   * A cloud that the nodes' machines are in: they register as kubelets with `--cloud-provider=external` do, tainted until
   * cloud-node-controller has said what they are. By default there is none.
   */
  readonly machines?: NodeMachines;
  /** Shared informers to use; its own by default. */
  readonly informers?: InformerFactory;
  /** Nodes to begin with. Default 1. */
  readonly nodeCount?: number;
  /** Node names are this and a number from 0. Default `node-`. */
  readonly namePrefix?: string;
  /** What each node has; 64 CPUs, 256 GiB and room for 10,000 pods by default. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Additional labels of the `index`th node, such as its zone. */
  labelsOf?(index: number): Readonly<Record<string, string>>;
  /** Whether nodes renew a lease every 10 seconds. Default true. */
  readonly leases?: boolean;
  /**
   * Whether the `not-ready` taint, with which the API server admits nodes, is taken away at registration. Kubelets leave that to
   * the node lifecycle controller; where one runs, say no. Default true.
   */
  readonly untaint?: boolean;
  /** Names of the CSI drivers that nodes have. Default none. */
  readonly storageDrivers?: readonly string[];
  /**
   * Whether pods wait until their volumes are attached. Where no attach-detach controller runs, say no: nobody else attaches them.
   * Default true.
   */
  readonly attaches?: boolean;
  /** Whether what kubelets tell about pods is written as Events. Default false. */
  readonly events?: boolean;
  /** Pods that are acted upon at the same time. Default 20. */
  readonly workers?: number;
}

const DEFAULT_CAPACITY = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10000" };
const DEFAULT_TIMES: PodTimes = { podStartMs: 500, podStopMs: 100, podRunMs: 1000, initRunMs: 100 };
/** Requests about nodes (not pods) that are under way at the same time. */
const NODE_WORKERS = 10;

/**
 * Nodes without machines: registers Node objects and does for the pods bound to them what kubelets would. It is a client like any
 * other and works against the embedded API server and a real one alike. What becomes of a pod is told by its annotations (see
 * {@link ANNOTATION_PREFIX}); what becomes of a node, by its own (see {@link STOPPED_ANNOTATION}) and by the methods here.
 *
 * Contract:
 * 1. A pod bound to one of the nodes is Running and Ready `podStartMs` later, unless its annotations, its image, its init
 *    containers, its claims and volumes, its readiness gates or missing ConfigMaps and Secrets say otherwise.
 * 2. Containers end, restart, back off and make the pod Succeeded or Failed as a kubelet's would.
 * 3. A pod being deleted stops after `podStopMs`, at the latest after its grace period, and is then removed.
 * 4. A stopped node renews nothing and does nothing for its pods; when it is started again it goes on as if a kubelet had been
 *    restarted on a machine that ran on.
 * 5. Pods and nodes that are there already are adopted as they are.
 * 6. When `run` resolves, no timer and no request of it is left.
 *
 * Probes are not run: `kubeloop.dev/ready-after` stands for them. Static pods, volumes' contents, logs and exec do not exist.
 */
export class NodeSimulator {
  readonly #options: NodeSimulatorOptions;
  readonly #informers: InformerFactory;
  readonly #pods: SharedInformer<Pod>;
  readonly #nodes: SharedInformer<Node>;
  readonly #fleet = new Fleet();
  readonly #duties: NodeDuties;
  readonly #workers: PodWorkers;
  readonly #volumes: PodVolumes;
  readonly #events: PlainEvents | undefined;
  #isRunning = false;

  constructor(options: NodeSimulatorOptions) {
    this.#options = options;
    const {
      world,
      client,
      leases = true,
      untaint = true,
      workers = 20,
      nodeCount = 1,
      storageDrivers = [],
      attaches = true,
    } = options;
    this.#informers = options.informers ?? new InformerFactory({ world, client, name: "node-simulator" });
    this.#pods = this.#informers.informer(PODS);
    this.#nodes = this.#informers.informer(NODES);
    this.#volumes = new PodVolumes(this.#informers);
    this.#events = options.events ? new PlainEvents({ world, client, component: "kubelet" }) : undefined;
    const fleet = this.#fleet;
    const join = options.join?.bind(options);
    this.#duties = new NodeDuties({
      world,
      client,
      join,
      fleet,
      leases,
      untaint,
      storageDrivers,
      workers: NODE_WORKERS,
    });
    this.#workers = new PodWorkers({
      world,
      client,
      fleet,
      pods: this.#pods.lister,
      volumes: this.#volumes,
      times: { ...DEFAULT_TIMES, ...givenTimes(options) },
      workers,
      attaches,
      events: this.#events,
      onVolumes: ({ name }) => this.#duties.report(name),
    });
    for (let i = 0; i < nodeCount; i++) this.#make(`${this.#prefix}${i}`, {});
  }

  get nodeNames(): readonly string[] {
    return this.#fleet.names;
  }

  /** Registers the nodes and plays their kubelets until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    for (const name of this.nodeNames) this.#duties.begin(name);
    const registrations = this.#listen();
    this.#informers.start(signal);
    await aborted(signal);
    await Promise.all([this.#duties.close(), this.#workers.close(), this.#events?.close()]);
    await Promise.all(registrations.map((remove) => remove()));
    if (!this.#options.informers) await this.#informers.shutdown();
  }

  /**
   * Adds a node.
   *
   * @param name The next free one by default.
   * @returns Its name.
   * @throws {Error} If there is a simulated node of this name.
   */
  addNode(name: string = this.#fleet.freeName(this.#prefix), settings: NodeSettings = {}): string {
    this.#make(name, settings);
    this.#resume(name);
    return name;
  }

  /**
   * Takes a node away for good: its kubelet ends and the Node object is deleted. Its pods are left to the controllers.
   *
   * @throws {Error} If there is no simulated node of this name.
   */
  async removeNode(name: string): Promise<void> {
    this.loseNode(name);
    this.#options.machines?.remove(name);
    try {
      await this.#options.client.delete(NODES, { name });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /**
   * Takes a node's machine away for good. The Node object is left to the controllers.
   *
   * @throws {Error} If there is no simulated node of this name.
   */
  loseNode(name: string): void {
    this.stopNode(name);
    this.#fleet.remove(name);
  }

  /**
   * Stops a node's kubelet: nothing of the node is renewed or reported any more, and its pods are neither updated nor removed,
   * as when the machine has lost its network.
   *
   * @throws {Error} If there is no simulated node of this name.
   */
  stopNode(name: string): void {
    this.#fleet.known(name).isStopped = true;
    this.#duties.end(name);
  }

  /**
   * Starts the kubelet of a stopped node again: it registers (anew, if the Node was deleted), reports, and finishes what was to
   * be done about its pods.
   *
   * @throws {Error} If there is no simulated node of this name.
   */
  startNode(name: string): void {
    this.#fleet.known(name).isStopped = false;
    this.#resume(name);
  }

  get #prefix(): string {
    return this.#options.namePrefix ?? "node-";
  }

  #make(
    name: string,
    { capacity = this.#options.capacity ?? DEFAULT_CAPACITY, labels, taints = [] }: NodeSettings,
  ): void {
    const index = this.#fleet.names.length;
    const { machines, labelsOf } = this.#options;
    const isExternal = machines !== undefined;
    const node = this.#fleet.add(name, { capacity, labels: labels ?? labelsOf?.(index) ?? {}, taints, isExternal });
    machines?.add({ name, address: node.shape.address });
  }

  /** @returns What removes each handler. */
  #listen(): (() => Promise<void>)[] {
    const { claims, attachments } = this.#volumes;
    const pods = this.#pods.addEventHandler({
      onAdd: (pod) => this.#workers.see(pod),
      onUpdate: (old, pod) => {
        if (old.metadata?.uid !== pod.metadata?.uid) this.#workers.forget(old);
        this.#workers.see(pod);
      },
      onDelete: (gone) => {
        const pod = finalStateOf(gone);
        if (pod) this.#workers.forget(pod);
      },
    });
    const nodes = this.#nodes.addEventHandler({
      onAdd: (node) => this.#see(node),
      onUpdate: (_old, node) => this.#see(node),
      onDelete: (gone) => this.#lose(finalStateOf(gone)),
    });
    const bound = claims.addEventHandler({
      onAdd: ({ metadata }) => this.#workers.claimChanged(metadata?.namespace, metadata?.name),
      onUpdate: (_old, { metadata }) => this.#workers.claimChanged(metadata?.namespace, metadata?.name),
      onDelete: (gone) => {
        const claim = finalStateOf(gone);
        if (claim) this.#workers.claimGone(claim);
      },
    });
    const attached = attachments.addEventHandler({
      onAdd: ({ spec }) => this.#workers.attachmentsChanged(spec.nodeName),
      onUpdate: (_old, { spec }) => this.#workers.attachmentsChanged(spec.nodeName),
    });
    const remove = <R extends HandlerRegistration>(
      informer: { removeEventHandler(registration: R): Promise<void> },
      registration: R,
    ) =>
    () => informer.removeEventHandler(registration);
    return [remove(this.#pods, pods), remove(this.#nodes, nodes), remove(claims, bound), remove(attachments, attached)];
  }

  #see(object: Node): void {
    const node = this.#fleet.get(object.metadata?.name);
    // Before it has registered, a node that is there is somebody else's.
    if (!node?.hasRegistered) return;
    const wasUp = node.isUp && node.object !== undefined;
    node.see(object);
    if (node.isUp && !wasUp) this.#resume(node.name);
    else if (!node.isUp && wasUp) this.#duties.end(node.name);
    else if (node.isUp && conditionsDiffer(object)) this.#duties.report(node.name);
    if (node.isUp) this.#workers.attachmentsChanged(node.name);
  }

  /** A kubelet whose Node was deleted makes no other until it is started again, but takes one that somebody makes. */
  #lose(object: Node | undefined): void {
    const node = this.#fleet.get(object?.metadata?.name);
    if (node?.object?.metadata?.uid === object?.metadata?.uid && node) node.object = undefined;
  }

  #resume(name: string): void {
    if (!this.#isRunning) return;
    this.#duties.begin(name);
    this.#workers.resume(name);
  }
}

function givenTimes({ podStartMs, podStopMs, podRunMs, initRunMs }: Partial<PodTimes>): Partial<PodTimes> {
  const given = Object.entries({ podStartMs, podStopMs, podRunMs, initRunMs }).filter(([, ms]) => ms !== undefined);
  return Object.fromEntries(given);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
