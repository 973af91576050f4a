import type { World } from "../../base/mod.ts";
import type { Endpoints, Service } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { OwnSlices, SliceClient, SliceCounts, WrittenSlices } from "../endpoint_slices/mod.ts";
import type { MirroringMetrics } from "./metrics.ts";

/** The inputs and clients of a sync. */
export interface MirroringContext {
  readonly world: World;
  readonly client: SliceClient;
  readonly recorder: EventRecorder;
  readonly services: Pick<Lister<Service>, "get">;
  readonly endpoints: Pick<Lister<Endpoints>, "get">;
  readonly slices: OwnSlices;
  readonly written: WrittenSlices;
  readonly counts: SliceCounts;
  readonly metrics: MirroringMetrics;
  /** Addresses of a subset that are mirrored, and endpoints that fit into a slice. */
  readonly mostEndpoints: number;
}
