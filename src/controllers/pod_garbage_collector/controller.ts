import { parallelize } from "../../base/mod.ts";
import { type Node, NODES, type Pod, PODS } from "../../api/mod.ts";
import type { Lister, Syncing } from "../../cache/mod.ts";
import type { Cause } from "../../workqueue/mod.ts";
import { cause, type Controller, type ControllerContext, periodicController } from "../running/mod.ts";
import { forceDelete } from "./actions.ts";
import type { DeletionContext } from "./context.ts";
import { DeletionMetrics, type Reason } from "./metrics.ts";
import { NodeQuarantine } from "./quarantine.ts";
import { excessPods, missingNodes, podsNeverBound, podsOn, podsOutOfService } from "./sync.ts";

export const NAME = "pod-garbage-collector-controller";
/** The name of its client and account, which differs. */
export const CLIENT_NAME = "pod-garbage-collector";
/** The pause between passes. */
const PERIOD_MS = 20_000;
/** How many deletions run at a time. Upstream has no limit except its client's 20 requests a second. */
const PARALLEL = 32;

export function buildPodGarbageCollector(
  context: ControllerContext,
  { terminatedPodThreshold }: Pick<PodGarbageCollectorOptions, "terminatedPodThreshold">,
): Controller {
  const { world, metrics, informers, journal } = context;
  const client = context.clients.client(CLIENT_NAME);
  const pods = informers.informer(PODS);
  const nodes = informers.informer(NODES, ["spec.taints", "status.conditions"]);
  return new PodGarbageCollector({
    name: NAME,
    world,
    journal,
    client,
    metrics: new DeletionMetrics(metrics),
    pods: pods.lister,
    nodes: nodes.lister,
    caches: [pods, nodes],
    quarantine: new NodeQuarantine({ world, metrics, client }),
    terminatedPodThreshold,
  });
}

/** Options of {@link PodGarbageCollector}. */
interface PodGarbageCollectorOptions extends DeletionContext {
  readonly pods: Pick<Lister<Pod>, "list">;
  readonly nodes: Pick<Lister<Node>, "get" | "list">;
  readonly caches: readonly Syncing[];
  readonly quarantine: NodeQuarantine;
  /** How many ended pods may stay; with 0 or less, all may. */
  readonly terminatedPodThreshold: number;
}

/**
 * Periodically checks all pods and deletes those that nobody else will end.
 *
 * Contract:
 * 1. A pass begins when the caches have synced, and 20 s after each pass has ended.
 * 2. A pass deletes, in this order: ended pods that are too many; pods being deleted on nodes that are out of service;
 *    pods of nodes that are gone; pods being deleted that never had a node.
 * 3. All of a pass goes by the pods and nodes that were there when it began.
 * 4. No failure ends a pass, or the controller.
 */
class PodGarbageCollector implements Controller {
  readonly #options: PodGarbageCollectorOptions;

  constructor(options: PodGarbageCollectorOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { name, world, caches, quarantine } = this.#options;
    await periodicController({
      name,
      title: "GC controller",
      world,
      caches,
      periodMs: PERIOD_MS,
      pass: () => this.#pass(signal),
    }).run(signal);
    quarantine.shutDown();
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { pods: podLister, nodes, quarantine, terminatedPodThreshold } = this.#options;
    const pods = podLister.list();
    const present = new Set(nodes.list().map(({ metadata }) => metadata?.name ?? ""));

    const excess = excessPods(pods, terminatedPodThreshold);
    await this.#delete(excess, "terminated", {
      signal,
      why: () => `more than ${terminatedPodThreshold} pods have ended`,
    });

    const stuck = podsOutOfService(pods, (name) => nodes.get(undefined, name));
    await this.#delete(stuck, "out-of-service", {
      signal,
      why: ({ spec }) => `node ${spec?.nodeName} is out of service`,
    });

    for (const node of missingNodes(pods, present)) quarantine.add(node);
    const gone = await quarantine.release(present);
    await this.#delete(podsOn(pods, gone), "orphaned", {
      signal,
      parallel: 1,
      why: ({ spec }) => cause("node", spec?.nodeName ?? "", "deleted"),
    });

    const never = podsNeverBound(pods);
    await this.#delete(never, "unscheduled", { signal, parallel: 1, why: () => "no kubelet will end it" });
  }

  #delete(
    pods: readonly Pod[],
    reason: Reason,
    { signal, why, parallel = PARALLEL }: {
      readonly signal: AbortSignal;
      readonly why: (pod: Pod) => Cause;
      readonly parallel?: number;
    },
  ): Promise<void> {
    const work = (i: number) => forceDelete(pods[i], { reason, cause: why(pods[i]) }, this.#options);
    return parallelize(parallel, pods.length, work, signal);
  }
}
