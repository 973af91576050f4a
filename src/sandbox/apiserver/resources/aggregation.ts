import type { APIService } from "../../../api/mod.ts";
import type { ServedGroup } from "./resource_table.ts";

/** A service in this process that serves groups of its own behind the API server. */
export interface AggregatedService {
  readonly namespace: string;
  readonly name: string;
  /** Answers requests that were let in; a `Transport`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Registered unless they are there. */
  readonly apiServices?: readonly APIService[];
}

/** What answers requests for a service, if only to say that it is not there. */
export type Backend = Pick<AggregatedService, "fetch">;

/** A version of a group as aggregated discovery shows it. */
export interface DiscoveredVersion {
  readonly version: string;
}

/** What is served, the server itself and services behind it taken together. */
export interface Aggregation {
  /** What answers requests below `/apis/G/V`; `undefined` if the server itself does. */
  serviceOf(group: string, version: string): Backend | undefined;
  /** All groups, those of the server and those behind it, in the order of discovery. */
  groups(): readonly ServedGroup[];
  /** What services say of the versions that they serve, as aggregated discovery shows it, by `group/version`. */
  discover(): Promise<ReadonlyMap<string, DiscoveredVersion>>;
}
