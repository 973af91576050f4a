import type { Node } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { NestedOperations, VolumePlugin } from "../volumes/mod.ts";
import type { Writing } from "./actions.ts";
import type { ActualState } from "./actual_state.ts";
import type { Attacher } from "./attachers.ts";
import type { DesiredState } from "./desired_state.ts";
import type { AttachMetrics } from "./metrics.ts";
import type { NodeReports } from "./node_reports.ts";
import type { PodVolumesContext } from "./pod_volumes.ts";

/** The command line's options. */
export interface AttachOptions {
  readonly reconcilesNever: boolean;
  readonly reconcilePeriodMs: number;
  readonly forceDetachesNever: boolean;
}

/** The known state, and its listeners. */
export interface AttachState extends PodVolumesContext {
  readonly desired: DesiredState;
  readonly actual: ActualState;
  readonly reports: NodeReports;
}

/** The inputs and clients of syncs. */
export interface AttachContext extends AttachState, Writing {
  readonly world: World;
  readonly options: AttachOptions;
  readonly nodes: Pick<Lister<Node>, "get">;
  readonly recorder: EventRecorder;
  readonly operations: NestedOperations;
  readonly metrics: AttachMetrics;
  /** Has the keys of {@link attachmentKey}. */
  readonly queue: Pick<WorkQueue, "add" | "addAfter">;
  attacherOf(plugin: VolumePlugin): Attacher;
}

/** The key of a volume on a node. */
export function attachmentKey(volume: string, node: string): string {
  return `${node} ${volume}`;
}

export function splitAttachmentKey(key: string): { volume: string; node: string } {
  const at = key.indexOf(" ");
  return { node: key.slice(0, at), volume: key.slice(at + 1) };
}
