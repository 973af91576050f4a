import type { World } from "../../base/mod.ts";
import type { EndpointSlice, Node, Pod, Service } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { OwnSlices, SliceClient, SliceCounts, WrittenSlices } from "../endpoint_slices/mod.ts";
import type { TriggerTimes } from "../service_pods/mod.ts";
import type { PopulatedHints } from "./hints/populated_hints.ts";
import type { ServiceMetrics } from "./service_metrics.ts";

/** The families of addresses that slices are made for. */
export type AddressType = "IPv4" | "IPv6";

/** What a sync reads, and what it acts with. */
export interface EndpointSliceContext {
  readonly world: World;
  readonly client: SliceClient;
  readonly recorder: EventRecorder;
  readonly services: Pick<Lister<Service>, "get">;
  readonly pods: Pick<Lister<Pod>, "list">;
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

/** Slices of one family on their way to be written; cached ones among them must not be changed. */
export interface Draft {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

/** An event about a Service that a sync gives reason to. */
export interface Announcement {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
