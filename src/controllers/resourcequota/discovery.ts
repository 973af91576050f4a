import type { World } from "../../base/mod.ts";
import type { Discovery } from "../../client/mod.ts";
import { DiscoveryLoop, type MonitorSet } from "../monitors/mod.ts";
import type { Evaluators, ListedInformer } from "./evaluators.ts";
import { isQuotable } from "./measured.ts";
import type { WorkerGate } from "./worker_gate.ts";

export interface QuotableDiscoveryOptions {
  readonly world: World;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly monitors: MonitorSet<ListedInformer>;
  readonly evaluators: Evaluators;
  readonly gate: WorkerGate;
}

/**
 * Monitors what quotas count. Workers pause while monitors change, until all have synced. If a group version's
 * discovery fails, its resources stay monitored.
 *
 * Upstream: `pkg/controller/resourcequota/resource_quota_controller.go` (Sync).
 */
export function quotableDiscovery(
  { world, discovery, monitors, evaluators, gate }: QuotableDiscoveryOptions,
): DiscoveryLoop<ListedInformer> {
  const { log } = world;
  return new DiscoveryLoop({
    world,
    discovery,
    monitors,
    query: { namespaced: true },
    isMonitored: isQuotable,
    isKept: () => true,
    async around(change) {
      await gate.close();
      try {
        await change();
      } finally {
        gate.open();
      }
    },
    hears: {
      discoveryFailed: (err, { aborted }) => aborted || log.error("Error during resource discovery", { err }),
      groupsFailed: (groups) => log.error("Error during resource discovery", { groups }),
      unchanged: () => log.verbose(4, "no resource updates from discovery, skipping resource quota sync"),
      changing: (diff) =>
        log.verbose(2, "syncing resource quota controller with updated resources from discovery", { diff }),
      changed: () => evaluators.listFrom(monitors),
      changeFailed: (err) => log.error("Failed to sync resource monitors", { err }),
      synced: () => log.verbose(2, "synced quota controller"),
      timedOut: () => log.error("Timed out waiting for quota monitor sync"),
    },
  });
}
