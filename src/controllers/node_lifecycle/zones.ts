import type { Node, NodeCondition } from "../../api/mod.ts";
import { Deferred, orAborted, type World } from "../../base/mod.ts";
import { zoneKeyOf } from "../nodes/mod.ts";
import type { LifecycleContext } from "./context.ts";
import { type DisruptionStep, disruptionStep } from "./disruption.ts";
import { TaintQueue } from "./taint_queue.ts";
import { countZone, evictionRate, type ZoneState } from "./zone_state.ts";

/** Conditions Ready of the nodes of each zone. */
export type ZoneConditions = ReadonlyMap<string, readonly (NodeCondition | undefined)[]>;

/**
 * The zones of a cluster: their states, and their nodes that wait to be tainted.
 *
 * Contract:
 * 1. A zone starts with a token for one node, and starts over after it had no node that counts for a while.
 * 2. A node has its turn in the queue of the zone that it is in when it is added.
 * 3. A zone without nodes is forgotten, and its metrics report no unhealthy nodes there.
 */
export class Zones {
  readonly #context: Pick<LifecycleContext, "options" | "time" | "metrics">;
  readonly #log: World["log"];
  readonly #states = new Map<string, ZoneState>();
  readonly #queues = new Map<string, TaintQueue>();
  #added = new Deferred();

  constructor(context: Pick<LifecycleContext, "world" | "options" | "time" | "metrics">) {
    this.#context = context;
    this.#log = context.world.log;
  }

  /** The queues in which a node waits. */
  get waiting(): readonly TaintQueue[] {
    return [...this.#queues.values()].filter(({ length }) => length > 0);
  }

  /** Resolves when a node waits, or `signal` aborts. */
  async whenWaiting(signal: AbortSignal): Promise<void> {
    if (this.waiting.length > 0) return;
    await orAborted(this.#added.promise, signal, undefined);
  }

  /**
   * Puts a node in the queue of its zone, unless it had its turn and the taint shows.
   *
   * @returns Whether it was not waiting before.
   */
  enqueue(node: Node, isTainted: boolean): boolean {
    const queue = this.#queueOf(node);
    const name = node.metadata?.name ?? "";
    if (!isTainted) queue.remove(name);
    const isNew = queue.add(name);
    this.#added.resolve();
    this.#added = new Deferred();
    return isNew;
  }

  /** Removes a node from its queue. */
  dequeue(node: Node): void {
    this.#queueOf(node).remove(node.metadata?.name ?? "");
  }

  /** Makes sure that a node's zone has a state. */
  see(node: Node): void {
    const zone = zoneKeyOf(node);
    if (!this.#states.has(zone)) this.#begin(zone);
  }

  /**
   * Updates the zones' states. On entering a disruption of the whole cluster, the caller must release its nodes; on
   * exiting, it must give them a fresh grace period.
   *
   * @param nodes All nodes.
   */
  update(conditions: ZoneConditions, nodes: readonly Node[]): DisruptionStep["type"] {
    const { options, metrics } = this.#context;
    const counts = new Map(
      [...conditions].map(([zone, list]) => [zone, countZone(list, options.unhealthyZoneThreshold)]),
    );
    for (const [zone, count] of counts) {
      metrics.zone(zone, count);
      if (!this.#states.has(zone)) this.#states.set(zone, "Initial");
    }
    this.#forget(new Set(counts.keys()), new Set(nodes.map(zoneKeyOf)));
    const step = disruptionStep(this.#states, counts);
    switch (step.type) {
      case "none":
        break;
      case "enter":
        this.#log.info("Controller detected that all Nodes are not-Ready. Entering master disruption mode");
        for (const zone of this.#states.keys()) {
          this.#queues.get(zone)?.setRate(0);
          this.#states.set(zone, "FullDisruption");
        }
        break;
      case "exit":
      case "change":
        if (step.type === "exit") {
          this.#log.info("Controller detected that some Nodes are Ready. Exiting master disruption mode");
        }
        for (const zone of step.zones) {
          const count = counts.get(zone)!;
          this.#log.info("Controller detected that zone is now in new state", { zone, newState: count.state });
          this.#queues.get(zone)?.setRate(evictionRate(count, options));
          this.#states.set(zone, count.state);
        }
    }
    return step.type;
  }

  #queueOf(node: Node): TaintQueue {
    const zone = zoneKeyOf(node);
    return this.#queues.get(zone) ?? this.#begin(zone);
  }

  #begin(zone: string): TaintQueue {
    const { options, time, metrics } = this.#context;
    const queue = new TaintQueue(options.nodeEvictionRate, () => time.nowMs());
    this.#states.set(zone, "Initial");
    this.#queues.set(zone, queue);
    metrics.evicted(zone, 0);
    return queue;
  }

  /** A zone whose nodes do not count has no state but still a queue. */
  #forget(counted: ReadonlySet<string>, inhabited: ReadonlySet<string>): void {
    for (const zone of this.#states.keys()) {
      if (counted.has(zone)) continue;
      this.#context.metrics.zone(zone, { size: 0, unhealthy: 0 });
      this.#states.delete(zone);
    }
    for (const zone of this.#queues.keys()) {
      if (!counted.has(zone) && !inhabited.has(zone)) this.#queues.delete(zone);
    }
  }
}
