import type { Node } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Instances } from "../../cloud/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { CloudNodeMetrics } from "./metrics.ts";

/** The inputs and clients of a sync. */
export interface CloudNodeContext {
  readonly world: World;
  readonly client: Pick<Client, "patch" | "update">;
  readonly nodes: Pick<Lister<Node>, "get" | "list">;
  readonly recorder: EventRecorder;
  readonly instances: Instances;
  readonly metrics: CloudNodeMetrics;
}
