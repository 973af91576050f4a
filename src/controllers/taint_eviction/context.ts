import type { World } from "../../base/mod.ts";
import type { Node, Pod, Taint } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { EvictionMetrics } from "../evictions/mod.ts";
import type { EvictionTimers } from "./timers.ts";

/** What deletes pods and reports it. */
export interface EvictionContext {
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch" | "delete">;
  readonly recorder: EventRecorder;
  readonly metrics: EvictionMetrics;
}

/** The inputs and clients of the syncs of nodes and pods. */
export interface TaintEvictionContext extends Pick<EvictionContext, "world" | "recorder"> {
  readonly nodes: Pick<Lister<Node>, "get">;
  readonly pods: Pick<Lister<Pod>, "get">;
  /** Indexed by node. */
  readonly podIndexer: Pick<Indexer<Pod>, "byIndex">;
  /** Names of nodes whose changed taints have not been handled yet. */
  readonly changed: Set<string>;
  /** The NoExecute taints of the nodes that have any, by node name. */
  readonly tainted: Map<string, readonly Taint[]>;
  readonly timers: EvictionTimers;
}
