import { TurnBudget, type World } from "../../base/mod.ts";
import { objectKey, type Pod, type Service } from "../../api/mod.ts";
import { type EventHandler, type SharedInformer, waitForCacheSync } from "../../cache/mod.ts";
import { runWorkers, WorkQueue } from "../../workqueue/mod.ts";
import type { Controller } from "../running/mod.ts";
import { type PodChange, podChangeHandler } from "./pod_change.ts";
import { indexServices, selects, servicesThatMaySelect } from "./service_index.ts";

/** What {@link PodChanges} needs. */
export interface PodChangesOptions {
  readonly world: World;
  readonly services: Pick<SharedInformer<Service>, "indexer" | "hasIndexer" | "addIndexers" | "whenSynced">;
  /** Keys of Services. */
  readonly queue: Pick<WorkQueue, "addAfter">;
  /** How long a Service that is queued because of a pod waits for further changes. */
  readonly batchPeriodMs: number;
}

/**
 * Queues the Services to which a change of a pod matters.
 *
 * Contract:
 * 1. A pod that came or went, or whose readiness, addresses or deletion changed, queues every Service that selects it
 *    or did before.
 * 2. A pod whose labels or hostname alone changed queues the Services that select it now and did not before, or the
 *    other way round.
 * 3. Any other change queues nothing, nor does a replay of the cache.
 * 4. A pod of the initial list queues nothing: each Service is queued by its own event, and not synced before all pods
 *    are known.
 * 5. Services are looked up in steps, so that the thread is free now and then however many there are.
 * 6. What is queued waits for the batch period; a Service that waits already does not wait longer.
 *
 * Upstream: `k8s.io/endpointslice/util/controller_utils.go` (GetPodUpdateProjectionKey, GetServicesToUpdate).
 */
export class PodChanges implements Controller {
  /** The handler for pods. */
  readonly handler: EventHandler<Pod>;
  readonly #options: PodChangesOptions;
  readonly #changes: WorkQueue<PodChange>;

  constructor(options: PodChangesOptions) {
    this.#options = options;
    this.#changes = new WorkQueue({ world: options.world });
    this.handler = podChangeHandler(this.#changes);
    indexServices(options.services);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world, services } = this.#options;
    if (!await waitForCacheSync(signal, services)) return this.#changes.shutDown();
    const budget = new TurnBudget(world.clock);
    await runWorkers(this.#changes, {
      workers: 1,
      world,
      signal,
      sync: (change) => budget.run(queueServices(change, this.#options)),
    });
  }
}

function* queueServices(
  { namespace, labels, labelsBefore, concernsAll, cause }: PodChange,
  { services, queue, batchPeriodMs }: PodChangesOptions,
): Generator<void, void> {
  for (const service of servicesThatMaySelect(services.indexer, namespace, labels, labelsBefore)) {
    const now = selects(service, labels);
    const before = labelsBefore ? selects(service, labelsBefore) : now;
    if (concernsAll ? now || before : now !== before) queue.addAfter(objectKey(service), batchPeriodMs, cause);
    yield;
  }
}
