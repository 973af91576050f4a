import type { EndpointSlice } from "../../api/mod.ts";

/** The families of addresses that slices are made for. */
export type AddressType = "IPv4" | "IPv6";

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
