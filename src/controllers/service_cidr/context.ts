import type { IPAddress, ServiceCIDR } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The inputs and clients of a sync. */
export interface CidrContext {
  readonly world: World;
  readonly client: Pick<Client, "apply" | "patch">;
  readonly recorder: EventRecorder;
  readonly cidrs: Pick<Lister<ServiceCIDR>, "get" | "list">;
  /** Named by what they stand for; only metadata is read. */
  readonly addresses: Pick<Lister<IPAddress>, "list">;
  /** Names of ServiceCIDRs. */
  readonly queue: Pick<WorkQueue, "add" | "addAfter">;
}
