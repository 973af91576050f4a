import type { Resource } from "../../api/mod.ts";

/** A resource as the server describes it. */
export interface DiscoveredResource extends Resource {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group with its versions. */
export interface DiscoveredGroup {
  readonly name: string;
  /** In the server's order of preference. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/**
 * What the server serves, as far as discovery succeeded. After any failure it is incomplete: never delete something
 * because a resource is missing here.
 */
export interface DiscoveryResult {
  readonly groups: readonly DiscoveredGroup[];
  /** By group version such as `apps/v1`; absent for one that failed. */
  readonly resources: ReadonlyMap<string, readonly DiscoveredResource[]>;
  /** By group version. */
  readonly failures: ReadonlyMap<string, Error>;
}

/** Some group versions could not be discovered. */
export class GroupDiscoveryError extends Error {
  override readonly name = "GroupDiscoveryError";
  readonly failures: ReadonlyMap<string, Error>;

  constructor(failures: ReadonlyMap<string, Error>) {
    const list = [...failures].sort(([a], [b]) => a < b ? -1 : 1).map(([gv, error]) => `${gv}: ${error.message}`);
    super(`unable to retrieve the complete list of server APIs: ${list.join(", ")}`);
    this.failures = failures;
  }
}

/** The server knows a group version, but its information about it is out of date. */
export class StaleGroupVersionError extends Error {
  override readonly name = "StaleGroupVersionError";

  constructor(groupVersion: string) {
    super(`stale GroupVersion discovery: ${groupVersion}`);
  }
}
