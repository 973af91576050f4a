import type { World } from "../../base/mod.ts";
import type { Node, Pod, Service } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { OwnSlices, SliceClient, SliceCounts, WrittenSlices } from "../endpoint_slices/mod.ts";
import type { TriggerTimes } from "../service_pods/mod.ts";
import type { PopulatedHints } from "./hints/populated_hints.ts";
import type { ServiceMetrics } from "./service_metrics.ts";

/** The inputs and clients of a sync. */
export interface EndpointSliceContext {
  readonly world: World;
  readonly client: SliceClient;
  readonly recorder: EventRecorder;
  readonly services: Pick<Lister<Service>, "get">;
  readonly pods: Pick<Indexer<Pod>, "byIndex" | "countByIndex">;
  readonly nodes: Pick<Lister<Node>, "get" | "list">;
  readonly slices: OwnSlices;
  readonly written: WrittenSlices;
  readonly triggerTimes: TriggerTimes;
  readonly hints: PopulatedHints;
  readonly counts: SliceCounts;
  readonly metrics: ServiceMetrics;
  /** Endpoints that fit into a slice. */
  readonly mostEndpoints: number;
}
