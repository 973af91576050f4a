import type { Service } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { LoadBalancers } from "../../cloud/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { Holds } from "./holds.ts";
import type { KnownServices } from "./known_services.ts";
import type { BalancerMetrics } from "./metrics.ts";
import type { TargetNodes } from "./target_nodes.ts";

/** What syncs read, and what they act with. */
export interface BalancerContext {
  readonly world: World;
  readonly client: Pick<Client, "patchMetadata">;
  readonly recorder: EventRecorder;
  readonly balancers: LoadBalancers;
  readonly clusterName: string;
  readonly services: Pick<Lister<Service>, "get">;
  readonly targets: Pick<TargetNodes, "current">;
  readonly known: KnownServices;
  readonly holds: Holds;
  /** Of Services. */
  readonly queue: Pick<WorkQueue, "add">;
  readonly metrics: BalancerMetrics;
}
