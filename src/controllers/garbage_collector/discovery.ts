import { EVENTS, EVENTS_EVENTS, groupResource, type Resource } from "../../api/mod.ts";
import type { Counter, World } from "../../base/mod.ts";
import type { Discovery, RestMapper } from "../../client/mod.ts";
import { DiscoveryLoop } from "../monitors/mod.ts";
import type { Monitors } from "./monitors.ts";

/**
 * Kinds that are never garbage and own nothing, by group and resource; they change too often to be watched for this.
 */
const IGNORED_RESOURCES: ReadonlySet<string> = new Set([EVENTS, EVENTS_EVENTS].map(groupResource));

export interface CollectableDiscoveryOptions {
  readonly world: World;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly mapper: Pick<RestMapper, "reset">;
  readonly monitors: Monitors;
  /** Counts rounds that left something unmonitored. */
  readonly errors: Counter;
}

/** Resources that can be garbage collected: they can be listed, watched and deleted. */
function isCollectable(resource: Resource): boolean {
  const { verbs = [] } = resource;
  return ["delete", "list", "watch"].every((verb) => verbs.includes(verb)) &&
    !IGNORED_RESOURCES.has(groupResource(resource));
}

/**
 * Monitors what can be garbage collected. If the discovery of a group version fails, its synced resources stay
 * monitored.
 *
 * Upstream: `pkg/controller/garbagecollector/garbagecollector.go` (Sync).
 */
export function collectableDiscovery(
  { world, discovery, mapper, monitors, errors }: CollectableDiscoveryOptions,
): DiscoveryLoop {
  const { log } = world;
  return new DiscoveryLoop({
    world,
    discovery,
    monitors,
    isMonitored: isCollectable,
    isKept: (resource) => monitors.isSynced(resource),
    around: (change) => change(),
    hears: {
      discoveryFailed: (err) => log.error("failed to discover preferred resources", { err }),
      groupsFailed: (groups) => log.warn("failed to discover some groups", { groups }),
      nothingFound() {
        log.verbose(2, "no resources reported by discovery, skipping garbage collector sync");
        errors.inc();
      },
      changing(diff) {
        log.verbose(2, "syncing garbage collector with updated resources from discovery", { diff });
        mapper.reset();
      },
      changeFailed(err) {
        log.error("failed to sync resource monitors", { err });
        errors.inc();
      },
      timedOut() {
        log.error("timed out waiting for dependency graph builder sync during GC sync");
        errors.inc();
      },
    },
  });
}
