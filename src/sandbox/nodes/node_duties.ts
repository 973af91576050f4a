import { CSINODES, formatMicroTime, formatTime, LEASES, type Node, NODES } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { type Client, isAlreadyExists, isNotFound } from "../../client/mod.ts";
import { DelayedActions } from "../common/mod.ts";
import type { Fleet, SimulatedNode } from "./fleet.ts";
import { nodeConditions } from "./node_conditions.ts";
import { adoptionPatch, csiNode, machineStatus, nodeLease } from "./node_object.ts";

export interface NodeDutiesOptions {
  readonly world: World;
  /** Used for nodes that do not join. */
  readonly client: Client;
  /** Gets a client of its own for a node. */
  readonly join?: (name: string, signal: AbortSignal) => Promise<Client>;
  readonly fleet: Fleet;
  readonly leases: boolean;
  readonly storageDrivers: readonly string[];
  /** Whether to remove the taint of new nodes. */
  readonly untaint: boolean;
  readonly workers: number;
}

type Duty = "register" | "lease" | "status";

const NOT_READY_TAINT = "node.kubernetes.io/not-ready";
const LEASE_RENEW_MS = 10_000;
/** How often an unchanged status is reported. Upstream: nodeStatusReportFrequency. */
const STATUS_REPORT_MS = 300_000;

/**
 * A kubelet's duties for its Node object.
 *
 * Contract:
 * 1. A node is created, or adopted if it exists; then its CSINode is created, its lease renewed every ten seconds, and
 *    its status reported every five minutes and when it must change.
 * 2. A failed duty is retried after a second.
 * 3. The renewals of many nodes are spread over the ten seconds, and no more than `workers` requests are in flight.
 * 4. A node that is not up is left alone.
 *
 * Upstream: `pkg/kubelet/kubelet_node_status.go`, `k8s.io/component-helpers/apimachinery/lease`.
 */
export class NodeDuties {
  readonly #options: NodeDutiesOptions;
  readonly #actions: DelayedActions;
  readonly #stop = new AbortController();
  /** The volumes that each node last reported. */
  readonly #reported = new Map<string, string>();
  #registrations = 0;

  constructor(options: NodeDutiesOptions) {
    this.#options = options;
    const { world, workers } = options;
    this.#actions = new DelayedActions({ world, workers, run: (key) => this.#do(key) });
  }

  /** Registers a node, at first or when its kubelet is started again, and keeps it up to date from then on. */
  begin(name: string): void {
    this.#schedule("register", name, 0);
  }

  /** Schedules a report of a node's status. */
  report(name: string): void {
    this.#schedule("status", name, 0);
  }

  end(name: string): void {
    for (const duty of ["register", "lease", "status"]) this.#actions.cancel(`${duty}/${name}`);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#actions.close();
  }

  #schedule(duty: Duty, name: string, delayMs: number): void {
    this.#actions.schedule(`${duty}/${name}`, delayMs);
  }

  async #do(key: string): Promise<void> {
    const [duty, name] = key.split("/");
    const node = this.#options.fleet.get(name);
    if (!node?.isUp) return;
    if (duty === "register") return await this.#register(node);
    if (!node.object) return; // deleted: it registers again when its kubelet is started again
    try {
      if (duty === "lease") await this.#renewLease(node, node.object);
      else await this.#reportStatus(node, node.object);
    } catch (error) {
      // The Node is gone, and an object owned by it would be garbage-collected at once.
      if (!isNotFound(error)) throw error;
      this.#options.world.log.verbose(2, "Simulated node is gone", { node: name });
    }
  }

  #clientOf({ client }: SimulatedNode): Client {
    return client ?? this.#options.client;
  }

  async #register(node: SimulatedNode): Promise<void> {
    const { join, world, fleet, leases } = this.#options;
    const { signal } = this.#stop;
    node.client ??= await join?.(node.name, signal);
    const client = this.#clientOf(node);
    const wanted = node.wanted(world.clock.wallMs());
    let isNew = true;
    let object: Node;
    try {
      object = await client.create(NODES, wanted, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      isNew = false;
      object = await this.#adopt(wanted, client);
    }
    node.see(await this.#untainted(object, client));
    await this.#registerDrivers(object, client);
    const turn = this.#registrations++;
    const share = turn % Math.max(1, fleet.names.length) / Math.max(1, fleet.names.length);
    if (leases) this.#schedule("lease", node.name, share * LEASE_RENEW_MS);
    this.#schedule("status", node.name, isNew ? STATUS_REPORT_MS * (1 + share) : 0);
  }

  async #registerDrivers(node: Node, client: Client): Promise<void> {
    const { signal } = this.#stop;
    const wanted = csiNode(node, this.#options.storageDrivers);
    try {
      await client.create(CSINODES, wanted, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (wanted.spec.drivers.length === 0) return;
      const body = { spec: wanted.spec };
      await client.patchMetadata(CSINODES, { name: node.metadata?.name ?? "" }, { type: "strategic", body, signal });
    }
  }

  async #adopt(wanted: Node, client: Client): Promise<Node> {
    const { world } = this.#options;
    const { signal } = this.#stop;
    const name = wanted.metadata?.name ?? "";
    const existing = await client.get(NODES, { name }, { signal });
    world.log.verbose(2, "Simulated node was registered before", { node: name });
    const body = adoptionPatch(wanted, existing);
    return body ? await client.patch(NODES, { name }, { type: "merge", body, signal }) : existing;
  }

  /** Removes the taint of a new node, since there may be no node lifecycle controller to do so. */
  async #untainted(node: Node, client: Client): Promise<Node> {
    const { untaint } = this.#options;
    const { metadata, spec } = node;
    const taints = spec?.taints?.filter(({ key }) => key !== NOT_READY_TAINT) ?? [];
    if (!untaint || taints.length === (spec?.taints?.length ?? 0)) return node;
    const body = {
      metadata: { resourceVersion: metadata?.resourceVersion },
      spec: { taints: taints.length > 0 ? taints : null },
    };
    return await client.patch(NODES, { name: metadata?.name ?? "" }, {
      type: "merge",
      body,
      signal: this.#stop.signal,
    });
  }

  async #renewLease(node: SimulatedNode, object: Node): Promise<void> {
    const { world } = this.#options;
    const client = this.#clientOf(node);
    const { name } = node;
    const { signal } = this.#stop;
    const lease = nodeLease(object, formatMicroTime(world.clock.wallMs()));
    const namespace = lease.metadata?.namespace;
    try {
      const body = { spec: lease.spec };
      await client.patchMetadata(LEASES, { namespace, name }, { type: "merge", body, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.createMetadata(LEASES, lease, { signal });
    }
    this.#schedule("lease", name, LEASE_RENEW_MS);
  }

  async #reportStatus(node: SimulatedNode, object: Node): Promise<void> {
    const { world } = this.#options;
    const { name, shape, volumesInUse } = node;
    const now = formatTime(world.clock.wallMs());
    const isForeign = object.status?.nodeInfo?.machineID !== machineStatus(shape).nodeInfo?.machineID;
    const volumes = volumesInUse.join();
    const { addresses = [], ...machine } = machineStatus(shape);
    // Addresses set by a cloud take precedence over the kubelet's.
    const isTold = shape.isExternal && (object.status?.addresses?.length ?? 0) > 0;
    const status = {
      ...isForeign ? { ...machine, ...isTold ? {} : { addresses } } : {},
      conditions: nodeConditions(object, now),
      ...volumes === (this.#reported.get(name) ?? "") ? {} : { volumesInUse: volumes ? [...volumesInUse] : null },
    };
    const answer = await this.#clientOf(node).patch(NODES, { name }, {
      type: "strategic",
      body: { status },
      subresource: "status",
      signal: this.#stop.signal,
    });
    this.#reported.set(name, volumes);
    node.see(answer);
    this.#schedule("status", name, STATUS_REPORT_MS);
  }
}
