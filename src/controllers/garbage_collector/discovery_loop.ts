import { type Counter, Deferred, type World } from "../../base/mod.ts";
import { apiVersionOf, EVENTS, EVENTS_EVENTS, groupResource, type Resource } from "../../api/mod.ts";
import type { Discovery, RestMapper } from "../../client/mod.ts";
import { resourceKey, resourcesDiff, type ResourceSet, sameResources } from "../monitors/mod.ts";
import { periodically, withTimeout } from "../running/mod.ts";
import type { Monitors } from "./monitors.ts";

/** How often discovery is asked for new kinds, and how long new monitors may take to sync. */
const PERIOD_MS = 30_000;

/** Kinds that are never garbage and own nothing, by group and resource; they change too often to be watched for it. */
const IGNORED_RESOURCES: ReadonlySet<string> = new Set([EVENTS, EVENTS_EVENTS].map(groupResource));

export interface DiscoveryLoopOptions {
  readonly world: World;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly mapper: Pick<RestMapper, "reset">;
  readonly monitors: Monitors;
  /** Counts rounds that left something unmonitored. */
  readonly errors: Counter;
}

/** Resources that can be garbage collected: they can be listed, watched and deleted. */
function isCollectable({ verbs = [] }: Resource): boolean {
  return ["delete", "list", "watch"].every((verb) => verbs.includes(verb));
}

/**
 * Keeps the monitors in step with what the API server serves.
 *
 * Contract:
 * 1. A round in which discovery gives nothing changes nothing and counts as an error.
 * 2. Resources of a group version whose discovery failed keep their monitor if it had synced.
 * 3. A set of resources is recorded only when all its monitors were made; until then every round tries again.
 * 4. A monitor that does not sync within a round's period counts as an error; nobody waits for it longer.
 *
 * Upstream: `pkg/controller/garbagecollector/garbagecollector.go` (Sync).
 */
export class DiscoveryLoop {
  readonly #options: DiscoveryLoopOptions;
  readonly #firstSynced = new Deferred();
  #recorded: ResourceSet = new Map();

  constructor(options: DiscoveryLoopOptions) {
    this.#options = options;
  }

  /** Resolves when for the first time there are monitors and all have synced. */
  get firstSynced(): Promise<void> {
    return this.#firstSynced.promise;
  }

  /** Works round after round until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    await periodically({ clock, signal, periodMs: PERIOD_MS }, () => this.round(signal));
  }

  /** Asks discovery once, adjusts the monitors and waits until they have synced. */
  async round(signal: AbortSignal): Promise<void> {
    const { world: { clock, log }, mapper, monitors, errors } = this.#options;
    const resources = await this.#discover(signal);
    if (signal.aborted) return;
    if (resources.size === 0) {
      log.verbose(2, "no resources reported by discovery, skipping garbage collector sync");
      return errors.inc();
    }
    if (sameResources(resources, this.#recorded)) return;
    log.verbose(2, "syncing garbage collector with updated resources from discovery", {
      diff: resourcesDiff(this.#recorded, resources),
    });
    mapper.reset();
    try {
      await monitors.sync(resources.values());
    } catch (error) {
      log.error("failed to sync resource monitors", { err: error });
      return errors.inc();
    }
    monitors.start(signal);
    const limits = { clock, signal, timeoutMs: PERIOD_MS };
    if (await withTimeout(limits, (limit) => monitors.whenSynced(limit))) {
      this.#firstSynced.resolve();
    } else if (!signal.aborted) {
      log.error("timed out waiting for dependency graph builder sync during GC sync");
      errors.inc();
    }
    this.#recorded = resources;
  }

  async #discover(signal: AbortSignal): Promise<Map<string, Resource>> {
    const { world: { log }, discovery, monitors } = this.#options;
    const found = new Map<string, Resource>();
    try {
      const { resources, failures } = await discovery.preferredResources({ signal });
      for (const resource of resources) {
        if (isCollectable(resource) && !IGNORED_RESOURCES.has(groupResource(resource))) {
          found.set(resourceKey(resource), resource);
        }
      }
      if (failures.size === 0 || found.size === 0) return found;
      log.warn("failed to discover some groups", { groups: [...failures.keys()].sort() });
      for (const [key, resource] of this.#recorded) {
        if (failures.has(apiVersionOf(resource)) && monitors.isSynced(resource)) found.set(key, resource);
      }
    } catch (error) {
      log.error("failed to discover preferred resources", { err: error });
    }
    return found;
  }
}
