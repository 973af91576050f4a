import type { World } from "../../base/mod.ts";
import type { CSIDriver, Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { BoundVolumes } from "../volumes/mod.ts";
import type { VolumeLabels } from "./volume_labels.ts";

/** The handlers' context. */
export interface HandlerContext {
  readonly queue: Pick<WorkQueue, "add">;
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
}

/** The inputs and event recorder of syncs. */
export interface WarningContext extends BoundVolumes {
  readonly world: World;
  readonly recorder: EventRecorder;
  readonly queue: Pick<WorkQueue, "add">;
  readonly pods: Pick<Lister<Pod>, "get">;
  readonly drivers: Pick<Lister<CSIDriver>, "get">;
  readonly labels: VolumeLabels;
}
