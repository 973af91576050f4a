import { apiVersionOf, type GroupVersion } from "../../api/mod.ts";
import { parallelize, parseJson, toError } from "../../base/mod.ts";
import type { Client } from "../client.ts";
import { isForbidden, isNotFound } from "../status_predicates.ts";
import { ACCEPT_AGGREGATED, isAggregated, readAggregated } from "./aggregated.ts";
import type { DiscoveredResource, DiscoveryResult } from "./discovered.ts";
import type { DiscoveryPart } from "./discovery_part.ts";
import { groupVersionsOf, readGroups, readLegacyGroup, readResourceList } from "./plain.ts";

/** A partial answer is requested once more. */
const TRIES = 2;

/** How many group versions are requested at a time if the server does not aggregate. */
const PARALLEL = 20;

/** Which resources {@link Discovery.preferredResources} returns. */
export interface PreferredResourcesOptions {
  /** Only namespaced ones, or only cluster-scoped ones. */
  readonly namespaced?: boolean;
  /** Only those that have all of these verbs. */
  readonly verbs?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Asks the server what it serves. Caches nothing.
 *
 * Contract:
 * 1. One request each to `/api` and `/apis` suffices where both answer in the aggregated form; otherwise every group
 *    version is asked for.
 * 2. A group version that failed, or that the server calls stale, is named among the failures; the rest is returned.
 * 3. A partial answer is asked for once more before it is returned.
 * 4. If `/apis` cannot be read at all, the error is thrown.
 *
 * Upstream: `k8s.io/client-go/discovery`.
 */
export class Discovery {
  readonly #client: Client;

  /** @param client Upstream's has 20 requests per second, a burst of 200 and a timeout of 32 s. */
  constructor(client: Client) {
    this.#client = client;
  }

  /** Groups, resources and failures. */
  async discover(signal?: AbortSignal): Promise<DiscoveryResult> {
    let result = await this.#discoverOnce(signal);
    for (let tries = 1; tries < TRIES && result.failures.size > 0; tries++) result = await this.#discoverOnce(signal);
    return result;
  }

  /**
   * Each resource once, in its group's preferred version if that serves it, otherwise in the first version that does.
   * Subresources are not listed separately.
   */
  async preferredResources(
    { namespaced, verbs = [], signal }: PreferredResourcesOptions = {},
  ): Promise<{ resources: DiscoveredResource[]; failures: ReadonlyMap<string, Error> }> {
    const result = await this.discover(signal);
    const resources = preferredResourcesOf(result).filter((resource) =>
      (namespaced === undefined || resource.namespaced === namespaced) &&
      verbs.every((verb) => resource.verbs.includes(verb))
    );
    return { resources, failures: result.failures };
  }

  /**
   * The resources of one group version.
   *
   * @throws {StatusError} If the server does not serve it, see {@link isNotFound}.
   */
  async resourcesOf(groupVersion: GroupVersion, signal?: AbortSignal): Promise<DiscoveredResource[]> {
    const { group, version } = groupVersion;
    const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
    return readResourceList(await this.#client.request("GET", path, { signal }), groupVersion);
  }

  async #discoverOnce(signal?: AbortSignal): Promise<DiscoveryResult> {
    const [legacy, others] = await Promise.all([
      this.#part("/api", readLegacyGroup, signal),
      this.#part("/apis", readGroups, signal),
    ]);
    const groups = [...legacy.groups, ...others.groups];
    const failures = new Map([...legacy.failures ?? [], ...others.failures ?? []]);
    if (legacy.resources && others.resources) {
      return { groups, resources: new Map([...legacy.resources, ...others.resources]), failures };
    }
    const resources = new Map<string, DiscoveredResource[]>();
    const wanted = groupVersionsOf(groups);
    await parallelize(PARALLEL, wanted.length, async (i) => {
      const { text, ...groupVersion } = wanted[i];
      try {
        resources.set(text, await this.resourcesOf(groupVersion, signal));
      } catch (error) {
        if (signal?.aborted) throw error;
        const isCoreAbsent = groupVersion.group === "" && (isNotFound(error) || isForbidden(error));
        if (!isCoreAbsent) failures.set(text, toError(error));
      }
    });
    return { groups, resources, failures };
  }

  async #part(
    path: string,
    read: (body: unknown) => DiscoveryPart["groups"],
    signal?: AbortSignal,
  ): Promise<DiscoveryPart> {
    try {
      const { contentType, text } = await this.#client.requestText("GET", path, { accept: ACCEPT_AGGREGATED, signal });
      const body = parseJson(text);
      return isAggregated(contentType) ? readAggregated(body) : { groups: read(body) };
    } catch (error) {
      // An extension server has no core group.
      const isAbsent = isNotFound(error) || (path === "/api" && isForbidden(error));
      if (isAbsent) return { groups: [], resources: new Map() };
      throw error;
    }
  }
}

/**
 * Each resource of `result` once, in its group's preferred version if that serves it, otherwise in the first version
 * that does.
 */
export function preferredResourcesOf({ groups, resources }: DiscoveryResult): DiscoveredResource[] {
  const chosen = new Map<string, DiscoveredResource>();
  for (const { name: group, versions, preferredVersion } of groups) {
    for (const version of versions) {
      for (const resource of resources.get(apiVersionOf({ group, version })) ?? []) {
        const key = `${resource.plural}.${group}`;
        if (!chosen.has(key) || version === preferredVersion) chosen.set(key, resource);
      }
    }
  }
  return [...chosen.values()];
}
