import type { Resource } from "../../api/mod.ts";

/** A resource as the server describes it. */
export interface DiscoveredResource extends Resource {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group with its versions, the preferred one first to be tried. */
export interface DiscoveredGroup {
  readonly name: string;
  /** In the server's order of preference. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/**
 * What the server serves, as far as it could be found out. With any failure the picture is partial: nothing may be deleted
 * on the ground that a resource is missing from it.
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

/** The server knows of a group version, but what it says about it is out of date. */
export class StaleGroupVersionError extends Error {
  override readonly name = "StaleGroupVersionError";

  constructor(groupVersion: string) {
    super(`stale GroupVersion discovery: ${groupVersion}`);
  }
}
