import type { Node } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { ClusterSize } from "./cluster_size.ts";

/** The inputs and clients of a sync. */
export interface TtlContext {
  readonly world: World;
  readonly client: Pick<Client, "patchMetadata">;
  readonly nodes: Pick<Lister<Node>, "get">;
  readonly size: Pick<ClusterSize, "ttlSeconds">;
}
