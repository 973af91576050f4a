import { type APIService, type APIServiceCondition, compareVersions, findCondition } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import {
  type AggregatedService,
  type Aggregation,
  type Backend,
  compareGroups,
  type DiscoveredVersion,
  priorityOf,
  type ServedGroup,
} from "../resources/mod.ts";
import { nowText } from "../traits/mod.ts";
import { decodeObject, type ServerState, systemOperation } from "../operations/mod.ts";
import { createNow, updateObject } from "../writes/mod.ts";
import { afterWrite } from "./after_write.ts";

const COLLECTION = "apiservices.apiregistration.k8s.io";

/**
 * Forwards requests to services in this process, as APIServices say.
 *
 * Contract:
 * 1. An APIService that names a known service is available; its version is served and discovered as the service does it.
 * 2. One that names any other service is not available: its version is discovered as stale, and every request for it is
 *    answered with 503.
 * 3. A version that the server itself serves is never forwarded.
 * 4. A service whose discovery fails leaves its versions in the list, as stale.
 *
 * Upstream: `kube-aggregator/pkg/apiserver` and `pkg/controllers/status/remote`, where the Service object must exist as
 * well.
 */
export class Aggregator implements Aggregation {
  readonly #state: () => ServerState;
  readonly #services = new Map<string, AggregatedService>();
  #stop = () => {};
  #isClosed = false;
  readonly #queue = afterWrite(
    () => this.#isClosed || this.#sync(),
    (err) => this.#state().world.log.error("APIServices could not be looked after", { err }),
  );

  /** @param state Not used before `start`. */
  constructor(state: () => ServerState) {
    this.#state = state;
  }

  /** Keeps the conditions of APIServices up to date until `close`. */
  start(): void {
    this.#stop = this.#state().store.subscribe(COLLECTION, () => this.#queue());
  }

  close(): void {
    this.#isClosed = true;
    this.#services.clear();
    this.#stop();
  }

  /** Starts serving the versions that APIServices assign to the service. */
  add(service: AggregatedService): void {
    this.#services.set(`${service.namespace}/${service.name}`, service);
    for (const apiService of service.apiServices ?? []) this.#register(apiService);
    this.#sync();
  }

  serviceOf(group: string, version: string): Backend | undefined {
    const { store, resources } = this.#state();
    if (resources.group(group)?.versions.includes(version)) return undefined;
    const apiService = store.get(COLLECTION, `${version}.${group}`) as APIService | undefined;
    return apiService?.spec?.service && (this.#serviceOf(apiService) ?? UNAVAILABLE);
  }

  groups(): readonly ServedGroup[] {
    const own = this.#state().resources.groups();
    const behind = this.#behind();
    if (behind.length === 0) return own;
    const ranked = own.map((each) => ({ ...each, priority: priorityOf({ ...each, version: each.versions[0] }).group }));
    const taken = new Set(own.map(({ group }) => group));
    return [...ranked, ...behind.filter(({ group }) => !taken.has(group))]
      .sort((a, b) => b.priority - a.priority || compareGroups(a.group, b.group));
  }

  async discover(): Promise<ReadonlyMap<string, DiscoveredVersion>> {
    const found = new Map<string, DiscoveredVersion>();
    for (const { group, versions } of this.#behind()) {
      for (const version of versions) {
        const service = this.serviceOf(group, version);
        if (!service) continue;
        found.set(`${group}/${version}`, await discovered(service, group, version) ?? { version, ...STALE });
      }
    }
    return found;
  }

  /** The groups with at least one version that another service serves. */
  #behind(): (ServedGroup & { readonly priority: number })[] {
    const specs = this.#apiServices().map(({ spec }) => spec!).filter((spec) => spec?.service);
    const groups = Map.groupBy(specs, ({ group = "" }) => group);
    return [...groups].map(([group, served]) => ({
      group,
      versions: served.toSorted((a, b) =>
        b.versionPriority - a.versionPriority || compareVersions(b.version ?? "", a.version ?? "")
      ).map(({ version = "" }) => version),
      isBuiltIn: false,
      priority: Math.max(...served.map(({ groupPriorityMinimum }) => groupPriorityMinimum)),
    }));
  }

  #apiServices(): APIService[] {
    return [...this.#state().store.list(COLLECTION) ?? []].map(({ object }) => object as APIService);
  }

  #serviceOf({ spec }: APIService): AggregatedService | undefined {
    const { namespace, name } = spec?.service ?? {};
    return this.#services.get(`${namespace}/${name}`);
  }

  #register(apiService: APIService): void {
    const state = this.#state();
    if (state.store.get(COLLECTION, apiService.metadata?.name ?? "")) return;
    const operation = systemOperation(state, COLLECTION);
    createNow(operation, decodeObject(operation, { ...deepCopy(apiService) }));
  }

  #sync(): void {
    for (const apiService of this.#apiServices()) {
      const service = apiService.spec?.service;
      if (!service) continue;
      const isAvailable = this.#serviceOf(apiService) !== undefined;
      const status = isAvailable ? "True" : "False";
      if (findCondition(apiService.status?.conditions, "Available")?.status === status) continue;
      this.#setCondition(apiService.metadata!.name!, {
        type: "Available",
        status,
        lastTransitionTime: nowText(this.#state()),
        reason: isAvailable ? "Passed" : "ServiceNotFound",
        message: isAvailable ? "all checks passed" : `service/${service.name} in "${service.namespace}" is not present`,
      });
    }
  }

  #setCondition(name: string, condition: APIServiceCondition): void {
    const change = (old: StoredObject | undefined) => {
      const changed = deepCopy(old!) as StoredObject & APIService;
      changed.status = { ...changed.status, conditions: [condition] };
      return changed;
    };
    updateObject(systemOperation(this.#state(), COLLECTION), name, change, { subresource: "status" });
  }
}

/** Stands in for a service that does not exist. */
const UNAVAILABLE: Backend = {
  fetch() {
    const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
    return Promise.resolve(new Response("service unavailable\n", { status: 503, headers }));
  },
};

const STALE = { freshness: "Stale" };
const ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The service's discovery of one version; `undefined` if it does not know it. */
async function discovered(service: Backend, group: string, version: string): Promise<DiscoveredVersion | undefined> {
  const response = await service.fetch(new Request("http://service/apis", { headers: { accept: ACCEPT } }));
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  const { items } = await response.json() as {
    readonly items: readonly {
      readonly metadata?: { readonly name?: string };
      readonly versions: readonly DiscoveredVersion[];
    }[];
  };
  return items.find(({ metadata }) => metadata?.name === group)?.versions.find((each) => each.version === version);
}
