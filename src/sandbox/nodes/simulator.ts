import { type Node, NODES, type Pod, PODS } from "../../api/mod.ts";
import { whenAborted, type World } from "../../base/mod.ts";
import { finalStateOf, type HandlerRegistration, InformerFactory, type SharedInformer } from "../../cache/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { PlainEvents } from "../common/mod.ts";
import { Fleet, type NodeMachines, type NodeSettings } from "./fleet.ts";
import { conditionsDiffer } from "./node_conditions.ts";
import { NodeDuties } from "./node_duties.ts";
import { PodWorkers } from "./pod_workers.ts";
import type { PodTimes } from "./plan.ts";
import { PodVolumes } from "./volumes.ts";

/** Options of {@link NodeSimulator}; only the world and the client are required. Times are in milliseconds. */
export interface NodeSimulatorOptions extends Partial<PodTimes> {
  readonly world: World;
  readonly client: Client;
  /**
   * Joins a node to the cluster before it registers, as kubelets do with a bootstrap token; resolves with the node's
   * own client. By default all nodes share `client`.
   */
  join?(name: string, signal: AbortSignal): Promise<Client>;
  /**
   * A cloud with the nodes' machines: nodes register like kubelets with `--cloud-provider=external`, tainted until
   * cloud-node-controller has initialized them. There is none by default.
   */
  readonly machines?: NodeMachines;
  /** Shared informers to use; by default it starts its own. */
  readonly informers?: InformerFactory;
  /** The number of nodes at the start. Default 1. */
  readonly nodeCount?: number;
  /** The prefix of node names, before a number from 0. Default `node-`. */
  readonly namePrefix?: string;
  /** The capacity of each node; by default 64 CPUs, 256 GiB and 10,000 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Additional labels of the `index`th node, such as its zone. */
  labelsOf?(index: number): Readonly<Record<string, string>>;
  /** Whether nodes renew a lease every 10 seconds. Default true. */
  readonly leases?: boolean;
  /**
   * Whether the `not-ready` taint, which the API server gives to new nodes, is removed at registration. Kubelets leave
   * that to the node lifecycle controller; set it to false if one runs. Default true.
   */
  readonly untaint?: boolean;
  /** The names of the nodes' CSI drivers. Default none. */
  readonly storageDrivers?: readonly string[];
  /**
   * Whether pods wait for their volumes to be attached. Set it to false if no attach-detach controller runs, since
   * nothing else attaches them. Default true.
   */
  readonly attaches?: boolean;
  /** Whether to write the kubelets' Events about pods. Default false. */
  readonly events?: boolean;
  /** How many pods are processed at the same time. Default 20. */
  readonly workers?: number;
}

const DEFAULT_CAPACITY = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10000" };
const DEFAULT_TIMES: PodTimes = { podStartMs: 500, podStopMs: 100, podRunMs: 1000, initRunMs: 100 };
/** How many requests about nodes (not pods) are in flight at the same time. */
const NODE_WORKERS = 10;

/**
 * Nodes without machines: registers Node objects, and does for the pods bound to them what kubelets would. It is an
 * ordinary client, and works with the embedded API server as with a real one. Annotations control what happens to a pod
 * (see {@link ANNOTATION_PREFIX}); those of a node (see {@link STOPPED_ANNOTATION}) and the methods here control the
 * node.
 *
 * Contract:
 * 1. A pod bound to one of the nodes is Running and Ready `podStartMs` later, unless its annotations, its image, its
 *    init containers, its claims and volumes, its readiness gates or missing ConfigMaps and Secrets say otherwise.
 * 2. Containers end, restart, back off and make the pod Succeeded or Failed as a kubelet's would.
 * 3. A pod being deleted stops after `podStopMs`, at the latest after its grace period, and is then removed.
 * 4. A stopped node renews nothing and does nothing for its pods; when it is started again, it continues as if a
 *    kubelet had been restarted on a machine that kept running.
 * 5. Existing pods and nodes are adopted as they are.
 * 6. When `run` resolves, no timer and no request of it is left.
 *
 * Probes are not run; `kubeloop.dev/ready-after` replaces them. There are no static pods, no volume contents, and no
 * exec.
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
    await whenAborted(signal);
    await Promise.all([this.#duties.close(), this.#workers.close(), this.#events?.close()]);
    await Promise.all(registrations.map((remove) => remove()));
    if (!this.#options.informers) await this.#informers.shutdown();
  }

  /**
   * Adds a node.
   *
   * @param name The next unused one by default.
   * @returns Its name.
   * @throws {Error} If there is a simulated node with this name.
   */
  addNode(name: string = this.#fleet.freeName(this.#prefix), settings: NodeSettings = {}): string {
    this.#make(name, settings);
    this.#resume(name);
    return name;
  }

  /**
   * Removes a node for good: its kubelet ends and the Node object is deleted. Its pods are left to the controllers.
   *
   * @throws {Error} If there is no simulated node with this name.
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
   * Removes a node's machine for good. The Node object is left to the controllers.
   *
   * @throws {Error} If there is no simulated node with this name.
   */
  loseNode(name: string): void {
    this.stopNode(name);
    this.#fleet.remove(name);
  }

  /**
   * Stops a node's kubelet, as if the machine had lost its network: nothing is renewed or reported, and its pods are
   * neither updated nor removed.
   *
   * @throws {Error} If there is no simulated node with this name.
   */
  stopNode(name: string): void {
    this.#fleet.known(name).isStopped = true;
    this.#duties.end(name);
  }

  /**
   * Starts the kubelet of a stopped node again: it registers (anew, if the Node was deleted), reports, and catches up
   * with its pods.
   *
   * @throws {Error} If there is no simulated node with this name.
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

  /** @returns A function for each handler that removes it. */
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
    // Until the node has registered, an existing Node belongs to somebody else.
    if (!node?.hasRegistered) return;
    const wasUp = node.isUp && node.object !== undefined;
    node.see(object);
    if (node.isUp && !wasUp) this.#resume(node.name);
    else if (!node.isUp && wasUp) this.#duties.end(node.name);
    else if (node.isUp && conditionsDiffer(object)) this.#duties.report(node.name);
    if (node.isUp) this.#workers.attachmentsChanged(node.name);
  }

  /**
   * A kubelet does not recreate a deleted Node until it is started again, but adopts one that somebody else creates.
   */
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
