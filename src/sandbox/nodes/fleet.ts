import { compareResourceVersions, formatTime, type Node, type Taint } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import { allocatableOf, NodeRoom } from "../common/mod.ts";
import { IpPool } from "./ip_pool.ts";
import { STOPPED_ANNOTATION } from "./node_conditions.ts";
import { addressIn, nodeObject, type NodeShape } from "./node_object.ts";

/** The settings of a single node. */
export interface NodeSettings {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** The taints that the node registers with. */
  readonly taints?: readonly Taint[];
}

/** The cloud with the nodes' machines. */
export interface NodeMachines {
  /** Creates the machine of a node with its `address`. */
  add(machine: { readonly name: string; readonly address: string }): void;
  /** Removes the machine of a node, if it exists. */
  remove(name: string): void;
}

/** The addresses of pods on nodes without a pod range of their own. */
const POD_NETWORK = "10.244.0.0/16";

/** A node with a simulated kubelet. */
export class SimulatedNode {
  readonly shape: NodeShape;
  /** The Node object as last seen or written; `undefined` if there is none. */
  object: Node | undefined;
  /** The resources of its pods, as the kubelet counts them. */
  readonly room: NodeRoom = new NodeRoom();
  /** The volumes of its pods, by the pods' uids. */
  readonly volumes: Map<string, readonly string[]> = new Map();
  /** The keys of pods that wait for volumes to be attached. */
  readonly awaiting: Set<string> = new Set();
  /** Its kubelet's client, once it has joined. */
  client: Client | undefined;
  /** Whether {@link NodeSimulator.stopNode} stopped its kubelet. */
  isStopped = false;
  /** Whether its kubelet has ever registered it. */
  hasRegistered = false;
  readonly #shared: IpPool;
  #networks: readonly IpPool[] = [];
  #ranges = "";

  constructor(shape: NodeShape, shared: IpPool) {
    this.shape = shape;
    this.#shared = shared;
  }

  get name(): string {
    return this.shape.name;
  }

  /** Whether its kubelet runs. */
  get isUp(): boolean {
    return !this.isStopped && this.object?.metadata?.annotations?.[STOPPED_ANNOTATION] !== "true";
  }

  /** The unique names of the volumes in use, sorted. */
  get volumesInUse(): readonly string[] {
    return [...new Set([...this.volumes.values()].flat())].sort();
  }

  /** Records the Node object, unless a newer version is known. */
  see(node: Node): void {
    const { uid, resourceVersion = "" } = this.object?.metadata ?? {};
    const order = compareResourceVersions(node.metadata?.resourceVersion ?? "", resourceVersion);
    if (uid === node.metadata?.uid && order !== undefined && order < 0) return;
    this.object = node;
    this.hasRegistered = true;
    this.room.allocatable = allocatableOf(node);
    const { podCIDR, podCIDRs } = node.spec ?? {};
    const ranges = podCIDRs ?? (podCIDR ? [podCIDR] : []);
    if (ranges.join() === this.#ranges) return;
    this.#ranges = ranges.join();
    this.#networks = ranges.map((range) => new IpPool(range));
  }

  /** The addresses of a pod, one from each of the node's networks. A pod keeps those it has. */
  takeAddresses(uid: string): readonly string[] {
    const held = this.#shared.heldBy(uid);
    return held ? [held] : this.#pools.map((pool) => pool.take(uid));
  }

  /** Records that a pod has these addresses. */
  keepAddresses(uid: string, addresses: readonly string[]): void {
    for (const [i, pool] of this.#pools.entries()) if (addresses[i]) pool.keep(uid, addresses[i]);
  }

  giveBackAddresses(uid: string): void {
    for (const pool of [this.#shared, ...this.#networks]) pool.giveBack(uid);
  }

  /** The Node object that its kubelet registers. */
  wanted(wallMs: number): Node {
    return nodeObject(this.shape, formatTime(wallMs));
  }

  get #pools(): readonly IpPool[] {
    return this.#networks.length > 0 ? this.#networks : [this.#shared];
  }
}

export class Fleet {
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #pods = new IpPool(POD_NETWORK, { first: 1 });
  /** The number of each name, so that a node that comes back gets the same address. */
  readonly #numbers = new Map<string, number>();

  get names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  get(name: string | undefined): SimulatedNode | undefined {
    return name === undefined ? undefined : this.#nodes.get(name);
  }

  [Symbol.iterator](): Iterator<SimulatedNode> {
    return this.#nodes.values();
  }

  /** @throws {Error} If there is a node with this name. */
  add(name: string, settings: Required<NodeSettings> & { readonly isExternal: boolean }): SimulatedNode {
    if (this.#nodes.has(name)) {
      throw new Error(`Cannot add node "${name}": there is a simulated node of this name already`);
    }
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    const node = new SimulatedNode({ name, address: addressIn("10.0", number), ...settings }, this.#pods);
    this.#nodes.set(name, node);
    return node;
  }

  remove(name: string): void {
    this.#nodes.delete(name);
  }

  freeName(prefix: string): string {
    for (let i = this.#nodes.size;; i++) if (!this.#nodes.has(`${prefix}${i}`)) return `${prefix}${i}`;
  }

  /**
   * The node with this name.
   *
   * @throws {Error} If there is none.
   */
  known(name: string): SimulatedNode {
    const node = this.#nodes.get(name);
    if (!node) throw new Error(`There is no simulated node "${name}", only ${this.names.join(", ") || "none at all"}`);
    return node;
  }
}
