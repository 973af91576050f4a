import { apiVersionOf, type Resource, resourceKey } from "../../api/mod.ts";
import { Deferred, type World } from "../../base/mod.ts";
import type { Discovery, PreferredResourcesOptions } from "../../client/mod.ts";
import { periodically, withTimeout } from "../running/mod.ts";
import type { MonitoredInformer } from "./informer_source.ts";
import type { MonitorSet } from "./monitor_set.ts";
import { resourcesDiff, type ResourceSet, sameResources } from "./resource_set.ts";

/** How often discovery runs, and how long new monitors may take to sync. */
const PERIOD_MS = 30_000;

/** Options of {@link DiscoveryLoop}. */
export interface DiscoveryLoopOptions<I extends MonitoredInformer> {
  readonly world: World;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly monitors: MonitorSet<I>;
  readonly query?: PreferredResourcesOptions;
  /** Whether a resource is to be monitored. */
  isMonitored(resource: Resource): boolean;
  /** Whether a resource stays monitored although the discovery of its group version failed. */
  isKept(resource: Resource): boolean;
  /** Called around every change of the monitors, up to the end of the wait for them. */
  around(change: () => Promise<void>): Promise<void>;
  /** Told how each round went. */
  readonly hears: DiscoveryListener;
}

/** Is told how each round went. */
export interface DiscoveryListener {
  discoveryFailed(error: unknown, signal: AbortSignal): void;
  /** The discovery of these group versions failed. */
  groupsFailed(groups: readonly string[]): void;
  /** Discovery returned nothing, or failed. */
  nothingFound?(): void;
  unchanged?(): void;
  /** Before the monitors change. */
  changing(diff: string): void;
  /** After they changed; with the error if some could not be made. */
  changed?(): void;
  changeFailed(error: unknown): void;
  synced?(): void;
  timedOut(): void;
}

/**
 * Keeps monitors in step with what the API server serves.
 *
 * Contract:
 * 1. A round in which discovery fails, or gives nothing, changes nothing.
 * 2. Resources of a group version whose discovery failed stay monitored as far as `isKept` says.
 * 3. A set of resources is recorded only when all its monitors were made; until then every round tries again.
 * 4. Nobody waits for a monitor to sync for longer than a round's period.
 *
 * Upstream: Sync of `pkg/controller/garbagecollector` and `pkg/controller/resourcequota`.
 */
export class DiscoveryLoop<I extends MonitoredInformer = MonitoredInformer> {
  readonly #options: DiscoveryLoopOptions<I>;
  readonly #firstSynced = new Deferred();
  #recorded: ResourceSet = new Map();

  constructor(options: DiscoveryLoopOptions<I>) {
    this.#options = options;
  }

  /** Resolves once there are monitors and all have synced. */
  get firstSynced(): Promise<void> {
    return this.#firstSynced.promise;
  }

  /** Runs rounds until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    await periodically({ clock, signal, periodMs: PERIOD_MS }, () => this.round(signal));
  }

  /** Asks discovery once, adjusts the monitors and waits until they have synced. */
  async round(signal: AbortSignal): Promise<void> {
    const { around, hears } = this.#options;
    const resources = await this.#discover(signal);
    if (signal.aborted) return;
    if (resources.size === 0) return hears.nothingFound?.();
    if (sameResources(resources, this.#recorded)) return hears.unchanged?.();
    await around(() => this.#adopt(resources, signal));
  }

  async #adopt(resources: ResourceSet, signal: AbortSignal): Promise<void> {
    const { world: { clock }, monitors, hears } = this.#options;
    hears.changing(resourcesDiff(this.#recorded, resources));
    try {
      await monitors.sync(resources.values());
    } catch (error) {
      return hears.changeFailed(error);
    } finally {
      hears.changed?.();
    }
    monitors.start(signal);
    this.#recorded = resources;
    const limits = { clock, signal, timeoutMs: PERIOD_MS };
    if (await withTimeout(limits, (limit) => monitors.whenSynced(limit))) {
      this.#firstSynced.resolve();
      hears.synced?.();
    } else if (!signal.aborted) hears.timedOut();
  }

  async #discover(signal: AbortSignal): Promise<ResourceSet> {
    const { discovery, query, isMonitored, isKept, hears } = this.#options;
    const found = new Map<string, Resource>();
    try {
      const { resources, failures } = await discovery.preferredResources({ ...query, signal });
      for (const resource of resources) if (isMonitored(resource)) found.set(resourceKey(resource), resource);
      if (failures.size === 0 || found.size === 0) return found;
      hears.groupsFailed([...failures.keys()].sort());
      for (const [key, resource] of this.#recorded) {
        if (failures.has(apiVersionOf(resource)) && isKept(resource)) found.set(key, resource);
      }
    } catch (error) {
      hears.discoveryFailed(error, signal);
    }
    return found;
  }
}
