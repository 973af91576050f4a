import { type World } from "../../base/mod.ts";
import { apiVersionOf, type Resource } from "../../api/mod.ts";
import type { Discovery } from "../../client/mod.ts";
import { type MonitorSet, resourceKey, resourcesDiff, type ResourceSet, sameResources } from "../monitors/mod.ts";
import { periodically, withTimeout } from "../running/mod.ts";
import type { Evaluators, ListedInformer } from "./evaluators.ts";
import { isQuotable } from "./measured.ts";
import type { WorkerGate } from "./worker_gate.ts";

/** How often discovery is asked for new kinds, and how long workers wait for their objects. */
const PERIOD_MS = 30_000;

export interface DiscoveryLoopOptions {
  readonly world: World;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly monitors: MonitorSet<ListedInformer>;
  readonly evaluators: Evaluators;
  readonly gate: WorkerGate;
}

/**
 * Keeps what is counted in step with what the API server serves.
 *
 * Contract:
 * 1. A round in which discovery fails, or gives nothing, changes nothing.
 * 2. Resources of a group version whose discovery failed keep their monitor.
 * 3. While monitors change nobody works, until all have synced; nobody waits longer than a round's period.
 * 4. A set of resources is recorded only when all its monitors were made; until then every round tries again.
 *
 * Upstream: `pkg/controller/resourcequota/resource_quota_controller.go` (Sync).
 */
export class DiscoveryLoop {
  readonly #options: DiscoveryLoopOptions;
  #recorded: ResourceSet = new Map();

  constructor(options: DiscoveryLoopOptions) {
    this.#options = options;
  }

  /** Works round after round until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    await periodically({ clock, signal, periodMs: PERIOD_MS }, () => this.round(signal));
  }

  /** Asks discovery once, adjusts the monitors and waits until they have synced. */
  async round(signal: AbortSignal): Promise<void> {
    const { world: { log }, gate } = this.#options;
    const resources = await this.#discover(signal);
    if (signal.aborted || resources.size === 0) return;
    if (sameResources(resources, this.#recorded)) {
      return log.verbose(4, "no resource updates from discovery, skipping resource quota sync");
    }
    await gate.close();
    try {
      await this.#adopt(resources, signal);
    } finally {
      gate.open();
    }
  }

  async #adopt(resources: ResourceSet, signal: AbortSignal): Promise<void> {
    const { world: { clock, log }, monitors, evaluators } = this.#options;
    log.verbose(2, "syncing resource quota controller with updated resources from discovery", {
      diff: resourcesDiff(this.#recorded, resources),
    });
    try {
      await monitors.sync(resources.values());
    } catch (error) {
      return log.error("Failed to sync resource monitors", { err: error });
    } finally {
      evaluators.listFrom(monitors);
    }
    monitors.start(signal);
    this.#recorded = resources;
    const limits = { clock, signal, timeoutMs: PERIOD_MS };
    if (await withTimeout(limits, (limit) => monitors.whenSynced(limit))) log.verbose(2, "synced quota controller");
    else if (!signal.aborted) log.error("Timed out waiting for quota monitor sync");
  }

  async #discover(signal: AbortSignal): Promise<ResourceSet> {
    const { world: { log }, discovery } = this.#options;
    const found = new Map<string, Resource>();
    try {
      const { resources, failures } = await discovery.preferredResources({ namespaced: true, signal });
      for (const resource of resources) if (isQuotable(resource)) found.set(resourceKey(resource), resource);
      if (failures.size === 0 || found.size === 0) return found;
      log.error("Error during resource discovery", { groups: [...failures.keys()].sort() });
      for (const [key, resource] of this.#recorded) {
        if (failures.has(apiVersionOf(resource))) found.set(key, resource);
      }
    } catch (error) {
      if (!signal.aborted) log.error("Error during resource discovery", { err: error });
    }
    return found;
  }
}
