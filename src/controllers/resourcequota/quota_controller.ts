import { type MetricsRegistry, sleep, type World } from "../../base/mod.ts";
import { type ExtendedDevices } from "../../rules/mod.ts";
import { objectKey, type ResourceQuota, RESOURCEQUOTAS } from "../../api/mod.ts";
import {
  type EventHandler,
  type HandlerOptions,
  type HandlerRegistration,
  type Lister,
  type Syncing,
  waitForCacheSync,
  waitForNamedCacheSync,
} from "../../cache/mod.ts";
import type { Client, Discovery } from "../../client/mod.ts";
import { runWorkers, WorkQueue } from "../../workqueue/mod.ts";
import { type DiscoveryLoop, type InformerSource, MonitorSet } from "../monitors/mod.ts";
import { announced, type Controller, decideBy, type Journal, periodically } from "../running/mod.ts";
import type { QuotaContext } from "./context.ts";
import { quotableDiscovery } from "./discovery.ts";
import { Evaluators, type ListedInformer } from "./evaluators.ts";
import { type ObjectChange, objectHandler, quotaHandler, replenish } from "./handlers.ts";
import { syncQuota } from "./sync.ts";
import { WorkerGate } from "./worker_gate.ts";

/** Its name in `--controllers`. */
export const NAME = "resourcequota-controller";
/** How often to check at the start whether all monitors have synced; the set of monitors may change meanwhile. */
const SYNC_CHECK_MS = 100;

/** Options of {@link QuotaController}. */
export interface QuotaControllerOptions {
  readonly world: World;
  readonly journal: Journal;
  readonly metrics: MetricsRegistry;
  readonly client: Pick<Client, "updateStatus">;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly informers: InformerSource<ListedInformer>;
  /** No informer may be started here before it resolves. */
  readonly informersStarted: Promise<void>;
  readonly quotas: {
    readonly lister: Pick<Lister<ResourceQuota>, "get" | "list">;
    addEventHandler(handler: EventHandler<ResourceQuota>, options: HandlerOptions): HandlerRegistration;
  };
  /**
   * The look-up of devices that stand in for extended resources, and the cache to wait for; absent if there are none.
   */
  readonly devices?: { readonly known: ExtendedDevices; readonly cache: Syncing };
  /** Workers for each of the two queues. */
  readonly workers: number;
  /** How often every quota is recalculated, in milliseconds; 0 is never. */
  readonly syncPeriodMs: number;
}

/**
 * Measures namespaces' usage for their quotas.
 *
 * Contract:
 * 1. Nothing is measured before the quotas and all served resources have been listed; a resource that never is keeps
 *    everything waiting.
 * 2. A quota without usage comes before those that only may be wrong: until it has some, admission refuses everything.
 * 3. Every quota is measured again once in a sync period, whatever else happened, and for the first time at the start.
 * 4. What happened to objects is looked at one by one, in order; each quota concerned is queued once.
 *
 * Upstream: `pkg/controller/resourcequota`.
 */
export class QuotaController implements Controller {
  readonly #options: QuotaControllerOptions;
  readonly #primary: WorkQueue;
  readonly #priority: WorkQueue;
  readonly #changes: WorkQueue<ObjectChange>;
  readonly #monitors: MonitorSet<ListedInformer>;
  readonly #evaluators: Evaluators;
  readonly #gate = new WorkerGate();
  readonly #discovery: DiscoveryLoop<ListedInformer>;
  readonly #caches: readonly Syncing[];

  constructor(options: QuotaControllerOptions) {
    this.#options = options;
    const { world, metrics, quotas, devices, discovery, informers } = options;
    this.#primary = new WorkQueue({ world, metrics, name: "resourcequota_primary" });
    this.#priority = new WorkQueue({ world, metrics, name: "resourcequota_priority" });
    this.#changes = new WorkQueue({ world, metrics, name: "resource_quota_controller_resource_changes" });
    this.#evaluators = new Evaluators({ devices: devices?.known });
    const handling = { changes: this.#changes, nowMs: () => world.clock.wallMs() };
    this.#monitors = new MonitorSet({ source: informers, handlerOf: (resource) => objectHandler(resource, handling) });
    this.#discovery = quotableDiscovery({
      world,
      discovery,
      monitors: this.#monitors,
      evaluators: this.#evaluators,
      gate: this.#gate,
    });
    const handler = quotaHandler({ primary: this.#primary, priority: this.#priority }, this.#evaluators);
    const registration = quotas.addEventHandler(handler, { resyncPeriodMs: 0 }); // a replay would be ignored
    this.#caches = [registration, ...devices ? [devices.cache] : []];
  }

  run(signal: AbortSignal): Promise<void> {
    const { informersStarted, world: { log } } = this.#options;
    return announced({ log, name: NAME }, async () => {
      if (await waitForCacheSync(signal, { whenSynced: informersStarted })) {
        await Promise.all([this.#replenish(signal), this.#discovery.run(signal), this.#work(signal)]);
      }
      for (const queue of [this.#primary, this.#priority, this.#changes]) queue.shutDown();
    });
  }

  #replenish(signal: AbortSignal): Promise<void> {
    const { world, quotas: { lister } } = this.#options;
    const context = { quotas: lister, evaluators: this.#evaluators, primary: this.#primary };
    return runWorkers<ObjectChange>(this.#changes, {
      workers: 1,
      world,
      signal,
      sync: async (change) => await replenish(change, context),
      onError: ({ object }, error) => {
        world.log.error("Error processing a change of an object", { err: error, object: objectKey(object) });
        return "forget";
      },
    });
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { world: { log } } = this.#options;
    const monitors = { whenSynced: (limit: AbortSignal) => this.#monitorsSynced(limit) };
    if (!await waitForNamedCacheSync({ log, name: NAME, signal }, ...this.#caches, monitors)) return;
    await Promise.all([
      this.#runWorkers(this.#primary, signal),
      this.#runWorkers(this.#priority, signal),
      this.#resync(signal),
    ]);
  }

  async #monitorsSynced(signal: AbortSignal): Promise<boolean> {
    const areSynced = () =>
      this.#monitors.size > 0 && [...this.#monitors].every(({ registration }) => registration.hasSynced);
    while (!areSynced()) {
      if (!await sleep(this.#options.world.clock, SYNC_CHECK_MS, signal)) return false;
    }
    return true;
  }

  #runWorkers(queue: WorkQueue, signal: AbortSignal): Promise<void> {
    const { world, client, quotas, journal, workers } = this.#options;
    const context: QuotaContext = { world, client, quotas: quotas.lister, evaluators: this.#evaluators };
    return runWorkers(queue, {
      workers,
      world,
      signal,
      sync: (key) =>
        this.#gate.pass(async () => {
          signal.throwIfAborted();
          await syncQuota(key, context);
        }),
      onError: decideBy((key, error) => {
        world.log.error("Error processing resource quota work item", { err: error, queueKey: key });
        return "retry";
      }, { log: world.log, signal }),
      onSynced: (key, record) => journal.record({ controller: NAME, kind: RESOURCEQUOTAS.kind, key, record }),
    });
  }

  async #resync(signal: AbortSignal): Promise<void> {
    const { world: { clock, log }, quotas, syncPeriodMs } = this.#options;
    if (syncPeriodMs <= 0) return log.info("periodic quota controller resync disabled");
    await periodically({ clock, signal, periodMs: syncPeriodMs }, () => {
      for (const quota of quotas.lister.list()) this.#primary.add(objectKey(quota), "full recalculation");
      log.verbose(4, "Resource quota controller queued all resource quota for full calculation of usage");
    });
  }
}
