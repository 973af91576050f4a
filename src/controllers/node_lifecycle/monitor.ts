import { errorText, parallelize, sleep, TurnBudget } from "../../base/mod.ts";
import { type Node, type NodeCondition, NODES } from "../../api/mod.ts";
import { NODE_NAME_INDEX } from "../../cache/mod.ts";
import { hasTaint, zoneKeyOf } from "../nodes/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { type Journal, journaled, serverSays } from "../running/mod.ts";
import { markPodsNotReady, nodeEvent, writeLateStatus } from "./actions.ts";
import { LEASE_NAMESPACE, type LifecycleContext } from "./context.ts";
import { isLate, looked, readyOf } from "./health.ts";
import { Outage } from "./outage.ts";
import { readyTaints } from "./ready_taints.ts";
import type { Zones } from "./zones.ts";

/** How many nodes are checked at the same time; checks only take long if something is written. */
const PARALLEL = 8;
const RETRY_MS = 20;
const TRIES = 5;
/** A watch whose server was unreachable retries within 30 to 60 s. */
const WATCH_RETURN_MS = 60_000;
/** Excludes a node from the decision whether its zone is disrupted. */
const EXCLUDED_LABEL = "node.kubernetes.io/exclude-disruption";

/** The result of checking a node. */
interface Finding {
  readonly node: Node;
  /** The Ready condition before the check. */
  readonly observed: NodeCondition | undefined;
  /** The Ready condition now. */
  readonly current: NodeCondition | undefined;
}

export interface MonitorContext extends LifecycleContext {
  readonly journal: Journal;
  readonly zones: Zones;
}

/**
 * Checks all nodes periodically for signs of life.
 *
 * Contract:
 * 1. A node that has been silent for longer than its grace is made Unknown; its pods are no longer ready, which events
 *    tell.
 * 2. A node that is not ready waits to be tainted; one with the opposite taint is tainted at once; one that is ready is
 *    released.
 * 3. What cannot be written is tried five times with the node as the API server has it; then the node waits for the
 *    next pass.
 * 4. If no node is healthy any more, all are released and none is tainted until one is healthy; then all get their full
 *    grace period again.
 * 5. Pods that could not be marked are marked in the next pass.
 * 6. Only time in which this process runs counts.
 * 7. A late node that the API server could not be asked about gets its full grace period again when it can: no node was
 *    heard from. It also gets the minute that the watch of leases may take to come back.
 * 8. Pods of a node that is Unknown when it is first seen are marked: the process before may have ended before it did
 *    that.
 * 9. Time in which the API server does not answer counts for no node, once a node is halfway to being late.
 *
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (monitorNodeHealth), without the last four.
 */
export class HealthMonitor {
  readonly #context: MonitorContext;
  readonly #known = new Map<string, Node>();
  /** Names of late nodes that could not be read from the API server. */
  readonly #unheard = new Set<string>();
  readonly #outage: Outage;

  constructor(context: MonitorContext) {
    this.#context = context;
    this.#outage = new Outage(context);
  }

  /** Checks all nodes once. Never rejects. */
  async pass(signal: AbortSignal): Promise<void> {
    const { nodes: lister, healths, zones, metrics, time, world: { clock, log } } = this.#context;
    await metrics.measure("pass", async () => {
      const nodes = lister.list();
      await this.#classify(nodes);
      if (await this.#outage.check(nodes, signal)) this.#waitForWatches();
      const conditions = new Map<string, (NodeCondition | undefined)[]>();
      const budget = new TurnBudget(clock);
      await parallelize(PARALLEL, nodes.length, async (i) => {
        if (budget.spent) await budget.nextTurn();
        await metrics.measure("node", async () => {
          try {
            await this.#visit(nodes[i], conditions, signal);
          } catch (error) {
            log.error("Update health of Node from Controller error, Skipping - no pods will be evicted", {
              err: errorText(error),
              node: nodes[i].metadata?.name,
            });
          }
        });
      }, signal);
      if (signal.aborted) return; // nodes that were not visited are not gone
      const step = zones.update(conditions, nodes);
      if (step === "enter") { for (const node of nodes) await this.#release(node); }
      if (step === "exit") {
        const probedMs = time.nowMs();
        for (const [name, health] of healths) healths.set(name, { ...health, probedMs });
      }
    });
  }

  async #classify(nodes: readonly Node[]): Promise<void> {
    const { zones, healths, unmarked, releases } = this.#context;
    for (const node of nodes) zones.see(node);
    for (const node of nodes) {
      const name = node.metadata?.name ?? "";
      if (this.#known.has(name)) continue;
      nodeEvent(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`, this.#context);
      this.#known.set(name, node);
      if (readyOf(node)?.status === "Unknown") unmarked.add(name);
      await this.#release(node);
    }
    const present = new Set(nodes.map(({ metadata }) => metadata?.name ?? ""));
    for (const [name, node] of this.#known) {
      if (present.has(name)) continue;
      nodeEvent(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`, this.#context);
      this.#known.delete(name);
      healths.delete(name);
      unmarked.delete(name);
      releases.forget(name);
      this.#unheard.delete(name);
    }
  }

  /** Nodes that were late while the API server was away are heard of when the watch of leases is back. */
  #waitForWatches(): void {
    const { healths, time } = this.#context;
    for (const name of this.#unheard) {
      const health = healths.get(name);
      if (health) healths.set(name, { ...health, probedMs: time.nowMs() + WATCH_RETURN_MS });
    }
    this.#unheard.clear();
  }

  async #visit(
    cached: Node,
    conditions: Map<string, (NodeCondition | undefined)[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const { unmarked } = this.#context;
    const { node, observed, current } = await this.#look(cached, signal);
    if (node.metadata?.labels?.[EXCLUDED_LABEL] === undefined) {
      const zone = zoneKeyOf(node);
      const others = conditions.get(zone);
      if (others) others.push(current);
      else conditions.set(zone, [current]);
    }
    const name = node.metadata?.name ?? "";
    if (current) {
      await this.#evictOrRelease(node, current);
      const hasCeased = current.status !== "True" && observed?.status === "True";
      if (hasCeased) nodeEvent(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`, this.#context);
      if (hasCeased || (unmarked.has(name) && observed?.status !== "True")) await this.#markPods(node);
    }
    unmarked.delete(name);
  }

  /** @throws {StatusError} If a late node could not be read again. */
  async #look(cached: Node, signal: AbortSignal): Promise<Finding> {
    const { world: { clock, log } } = this.#context;
    const name = cached.metadata?.name ?? "";
    let node = cached;
    for (let left = TRIES - 1;; left--) {
      try {
        return await this.#tryLook(node);
      } catch (error) {
        log.info("Error updating node", { err: error, node: name });
        if (left === 0) throw error;
        node = await this.#ask(name);
        if (!await sleep(clock, RETRY_MS, signal)) throw error;
      }
    }
  }

  async #ask(name: string): Promise<Node> {
    try {
      return await this.#context.client.get(NODES, { name });
    } catch (error) {
      if (!serverSays(error, isNotFound)) this.#unheard.add(name);
      throw error;
    }
  }

  async #tryLook(node: Node): Promise<Finding> {
    const { world: { clock }, options, time, leases, healths } = this.#context;
    const name = node.metadata?.name ?? "";
    const nowMs = time.nowMs();
    const lease = leases.get(LEASE_NAMESPACE, name);
    const health = looked(healths.get(name), { node, lease, nowMs, wallMs: clock.wallMs() });
    healths.set(name, health);
    const observed = readyOf(node);
    const graces = { startupGraceMs: options.nodeStartupGracePeriodMs, graceMs: options.nodeMonitorGracePeriodMs };
    const isUnknown = observed?.status === "Unknown";
    const isHeard = !isLate(health, { node, nowMs }, graces);
    if (isHeard) this.#unheard.delete(name);
    if (isHeard || isUnknown) return { node, observed, current: observed };
    if (this.#outage.isOn) {
      this.#unheard.add(name);
      return { node, observed, current: observed };
    }
    if (this.#unheard.has(name)) {
      await this.#ask(name);
      this.#unheard.delete(name);
      healths.set(name, { ...health, probedMs: nowMs + WATCH_RETURN_MS });
      return { node, observed, current: observed };
    }
    const work = { controller: this.#context.name, kind: NODES.kind, key: name, cause: "it gives no sign of life" };
    let late = node;
    await journaled(work, this.#context, async () => {
      late = await writeLateStatus(node, this.#context);
    });
    const current = readyOf(late);
    if (healths.has(name)) healths.set(name, { ...health, ready: current });
    return { node: late, observed, current };
  }

  async #evictOrRelease(node: Node, { status }: NodeCondition): Promise<void> {
    const { releases, zones, world: { log } } = this.#context;
    const taints = readyTaints(status);
    if (!taints) {
      if (status === "True") await this.#release(node);
      return;
    }
    const name = node.metadata?.name ?? "";
    if (hasTaint(node.spec?.taints, taints.opposite)) {
      await releases.taint(node, taints).catch((error) => {
        log.error("Failed to instantly swap taints. Will try again in the next cycle", { err: error, node: name });
      });
      return;
    }
    if (zones.enqueue(node, hasTaint(node.spec?.taints, taints.wanted))) {
      log.verbose(2, "Node is not ready. Adding it to the Taint queue", { node: name, status });
    }
  }

  async #release(node: Node): Promise<void> {
    const { releases, zones, world: { log } } = this.#context;
    const name = node.metadata?.name ?? "";
    try {
      zones.dequeue(node); // first, so that it is not processed meanwhile
      await releases.release(node);
    } catch (error) {
      log.error("Failed to remove taints from node. Will retry in next iteration", { err: error, node: name });
    }
  }

  async #markPods({ metadata }: Node): Promise<void> {
    const { name: controller, podIndexer, unmarked } = this.#context;
    const name = metadata?.name ?? "";
    const pods = podIndexer.byIndex(NODE_NAME_INDEX, name);
    const work = { controller, kind: NODES.kind, key: name, cause: "its pods are not ready while it is not" };
    try {
      await journaled(work, this.#context, () => markPodsNotReady(pods, this.#context));
    } catch (error) {
      unmarked.add(name);
      throw new Error(`Cannot mark all pods of node "${name}" as not ready, will retry: ${errorText(error)}`, {
        cause: error,
      });
    }
  }
}
