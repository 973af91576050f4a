import type { World } from "../../base/mod.ts";
import type { Node } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { NodeRanges } from "./node_ranges.ts";

/** The inputs and clients of a sync. */
export interface IpamContext {
  readonly world: World;
  readonly client: Pick<Client, "listPages" | "patch">;
  readonly recorder: EventRecorder;
  readonly nodes: Pick<Lister<Node>, "get">;
  readonly ranges: NodeRanges;
}
