import type { Node } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Instances } from "../../cloud/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";

/** The inputs and clients of a pass. */
export interface CloudLifecycleContext {
  readonly world: World;
  readonly client: Pick<Client, "delete" | "get" | "patch">;
  readonly nodes: Pick<Lister<Node>, "list">;
  readonly recorder: EventRecorder;
  readonly instances: Instances;
}
