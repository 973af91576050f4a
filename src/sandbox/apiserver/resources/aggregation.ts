import type { APIService } from "../../../api/mod.ts";
import type { ServedGroup } from "./resource_table.ts";

/** A service in this process that serves its own groups behind the API server. */
export interface AggregatedService {
  readonly namespace: string;
  readonly name: string;
  /** Serves authorized requests; a `Transport`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Registered unless they exist. */
  readonly apiServices?: readonly APIService[];
}

/** Serves requests for a service, or answers that it does not exist. */
export type Backend = Pick<AggregatedService, "fetch">;

/** A version of a group in aggregated discovery. */
export interface DiscoveredVersion {
  readonly version: string;
}

/** The groups of the server and of the services behind it. */
export interface Aggregation {
  /** The backend for requests below `/apis/G/V`; `undefined` if the server serves them itself. */
  serviceOf(group: string, version: string): Backend | undefined;
  /** All groups, local and aggregated, in the order of discovery. */
  groups(): readonly ServedGroup[];
  /** The services' aggregated discovery of their versions, by `group/version`. */
  discover(): Promise<ReadonlyMap<string, DiscoveredVersion>>;
}
