import type { EndpointSlice } from "../../api/mod.ts";

/** The families of addresses that slices are made for. */
export type AddressType = "IPv4" | "IPv6";

/** The planned slices of one family; cached ones among them must not be modified. */
export interface Draft {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

/** An event about a Service to record after a sync. */
export interface Announcement {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
