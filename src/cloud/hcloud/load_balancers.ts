import { parseLabelSelector } from "../../api/mod.ts";
import type { LoadBalancerStatus, Node, Service } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";
import type { LoadBalancers } from "../provider.ts";
import { Annotations } from "./annotations.ts";
import type { HcloudApi } from "./api.ts";
import { type Balancer, SERVICE_UID_LABEL } from "./balancer.ts";
import { BalancerApi } from "./balancer_api.ts";
import { type BalancerChange, balancerChanges, newBalancer } from "./balancer_changes.ts";
import { balancerStatus } from "./balancer_status.ts";
import { type BalancerType, BalancerTypes } from "./balancer_types.ts";
import { balancerNameOf, type BalancerWish, readBalancerWish } from "./balancer_wish.ts";
import { certificateIds } from "./certificates.ts";
import { isRefusal, laterIfBusy } from "./failures.ts";
import { readProviderId } from "./provider_id.ts";
import { serviceChanges } from "./service_changes.ts";
import type { Servers } from "./server_cache.ts";
import type { HcloudSettings } from "./settings.ts";
import { targetChanges } from "./target_changes.ts";
import type { Warnings } from "./warnings.ts";

/** Options of {@link HcloudLoadBalancers}. */
export interface LoadBalancersSetup {
  readonly api: HcloudApi;
  readonly world: World;
  readonly servers: Servers;
  readonly settings: HcloudSettings;
  /** The network's ID, if there is one. */
  readonly network: number | undefined;
  readonly warnings: Warnings;
}

/**
 * Manages a load balancer of the cloud for each Service.
 *
 * Ownership:
 * - The label `hcloud-ccm/service-uid` holds the UID of a load balancer's Service. A load balancer with it belongs
 *   entirely to that Service: its ports, servers, networks and addresses are changed to what the Service wants; only
 *   targets selected by label stay.
 * - One without the label but with the name in the Service's annotation `name` is adopted: it gets the label. This is
 *   how to use a load balancer that was created by hand.
 * - One of that name with another Service's label is refused. Upstream adopts it.
 * - No other one is ever changed. Only one with the label is ever deleted. If it has deletion protection it is kept,
 *   which is no error.
 *
 * Each change is one call, and nothing is written if nothing differs. All annotations are read before the first write.
 * `updateLoadBalancer` also repairs everything, as upstream; if only Nodes changed, it writes only targets.
 *
 * Upstream: `hcloud-cloud-controller-manager/hcloud/load_balancers.go`.
 */
export class HcloudLoadBalancers implements LoadBalancers {
  readonly #setup: LoadBalancersSetup;
  readonly #balancers: BalancerApi;
  readonly #types: BalancerTypes;

  constructor(setup: LoadBalancersSetup) {
    this.#setup = setup;
    this.#balancers = new BalancerApi(setup.api, setup.world);
    this.#types = new BalancerTypes(setup.api, setup.world.clock);
  }

  async getLoadBalancer(
    _clusterName: string,
    service: Service,
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus | null> {
    const balancer = await this.#existing(service, signal);
    if (!balancer) return null;
    try {
      return balancerStatus(balancer, this.#wishOf(service));
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      // A Service with malformed annotations may still have a load balancer that must be deleted.
      return service.status?.loadBalancer ?? {};
    }
  }

  ensureLoadBalancer(
    _clusterName: string,
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus> {
    return laterIfBusy(async () => {
      const wish = this.#wishOf(service);
      const selected = selectNodes(service, nodes);
      const found = await this.#find(service, wish, signal);
      const type = await this.#typeOf(service, wish, signal);
      const balancer = found ?? await this.#create(wish, type, signal);
      return balancerStatus(await this.#reconcile(balancer, service, wish, type, selected, signal), wish);
    });
  }

  updateLoadBalancer(
    _clusterName: string,
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<void> {
    return laterIfBusy(async () => {
      const wish = this.#wishOf(service);
      const selected = selectNodes(service, nodes);
      const balancer = await this.#find(service, wish, signal);
      if (!balancer) return;
      const type = await this.#typeOf(service, wish, signal);
      await this.#reconcile(balancer, service, wish, type, selected, signal);
    });
  }

  ensureLoadBalancerDeleted(_clusterName: string, service: Service, signal: AbortSignal): Promise<void> {
    return laterIfBusy(async () => {
      const balancer = await this.#existing(service, signal);
      if (!balancer) return;
      if (balancer.isProtected) {
        const { name, id } = balancer;
        this.#setup.world.log.info("Keeping a load balancer that is protected against deletion", { name, id });
        return;
      }
      await this.#balancers.delete(balancer.id, signal);
    });
  }

  #wishOf(service: Service): BalancerWish {
    const { settings, network } = this.#setup;
    return readBalancerWish(service, settings.balancers, network !== undefined);
  }

  /**
   * The load balancer with the Service's label. Its absence is checked in two ways and only trusted in the right
   * project, because it leads to removing the Service's finalizer.
   */
  async #existing(service: Service, signal: AbortSignal): Promise<Balancer | undefined> {
    const uid = service.metadata?.uid ?? "";
    if (uid === "") throw new CloudError("a Service without a UID has no load balancer");
    const balancer = await this.#balancers.byUid(uid, signal);
    if (balancer) return balancer;
    const named = await this.#balancers.byName(balancerNameOf(service), signal);
    if (named?.labels[SERVICE_UID_LABEL] !== uid) {
      await this.#proveMissing(service, signal);
      return undefined;
    }
    throw new CloudError(`load balancer ${named.id} has the label ${SERVICE_UID_LABEL}=${uid}, but is not found by it`);
  }

  /** A Service with addresses had a load balancer; its absence is only trusted in the cluster's own project. */
  async #proveMissing({ metadata, status }: Service, signal: AbortSignal): Promise<void> {
    if (!status?.loadBalancer?.ingress?.length) return;
    await this.#setup.servers.proveProject(
      `whether there is a load balancer for ${metadata?.namespace}/${metadata?.name}`,
      signal,
    );
  }

  async #find(service: Service, wish: BalancerWish, signal: AbortSignal): Promise<Balancer | undefined> {
    const balancer = await this.#balancers.byUid(wish.uid, signal) ?? await this.#balancers.byName(wish.name, signal);
    if (!balancer) await this.#proveMissing(service, signal);
    const owner = balancer?.labels[SERVICE_UID_LABEL];
    if (!balancer || owner === undefined || owner === wish.uid) return balancer;
    throw new CloudError(
      `load balancer ${balancer.id} is called ${
        JSON.stringify(balancer.name)
      }, too, and is the Service's with UID ${owner}: ` +
        `remove its label ${SERVICE_UID_LABEL} if it may be used for this one`,
    );
  }

  async #typeOf(service: Service, { type, isTypeSet }: BalancerWish, signal: AbortSignal): Promise<BalancerType> {
    const { warnings } = this.#setup;
    if (!isTypeSet) {
      warnings.ofService(
        service,
        "LoadBalancerTypeUnconfigured",
        "Load Balancer Type unconfigured: this will be required in the future, set it with the annotation " +
          '"load-balancer.hetzner.cloud/type" or cluster-wide with the environment variable "HCLOUD_LOAD_BALANCERS_TYPE"',
      );
    }
    return await this.#types.called(
      type,
      (message) => warnings.ofService(service, "LoadBalancerTypeDeprecated", message),
      signal,
    );
  }

  async #create(wish: BalancerWish, type: BalancerType, signal: AbortSignal): Promise<Balancer> {
    return await this.#balancers.byId(await this.#balancers.create(newBalancer(wish, type), signal), signal);
  }

  /** @returns The load balancer after the changes. */
  async #reconcile(
    found: Balancer,
    service: Service,
    wish: BalancerWish,
    type: BalancerType,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<Balancer> {
    const { api, world, network } = this.#setup;
    const { id } = found;
    const first = balancerChanges(found, wish, type, network);
    await this.#apply(id, first, signal);
    // Leaving a network also removes targets, so continue with the current state.
    const balancer = first.length > 0 ? await this.#balancers.byId(id, signal) : found;
    const certificates = await certificateIds(api, world, wish.certificates, wish.uid, signal);
    for (const protocol of wish.unsupportedProtocols) {
      this.#setup.warnings.ofService(
        service,
        "UnsupportedProtocolConfigured",
        `configured unsupported Hetzner Cloud load balancer protocol ${protocol} for service with name ${service.metadata?.name}`,
      );
    }
    await this.#apply(id, serviceChanges(balancer, wish.services, certificates), signal);
    await this.#reconcileTargets(balancer, service, wish, nodes, signal);
    return balancer;
  }

  async #apply(id: number, changes: readonly BalancerChange[], signal: AbortSignal): Promise<void> {
    for (const change of changes) {
      if (change.kind === "update") await this.#balancers.update(id, change.body, signal);
      else await this.#balancers.act(id, change.action, change.body, signal);
    }
  }

  async #reconcileTargets(
    balancer: Balancer,
    service: Service,
    { usesPrivateIp }: BalancerWish,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<void> {
    const nodesById = this.#serversOf(service, nodes);
    const { removals, additions, remaining } = targetChanges(balancer, [...nodesById.keys()], usesPrivateIp);
    await this.#apply(balancer.id, removals, signal);
    let count = remaining;
    for (const { server, change } of additions) {
      const node = nodesById.get(server)!;
      try {
        if (count >= balancer.maxTargets) {
          this.#tellFull(node, service);
          continue;
        }
        await this.#apply(balancer.id, [change], signal);
        count++;
      } catch (error) {
        if (!isRefusal(error, "resource_limit_exceeded")) throw error;
        this.#tellFull(node, service);
      }
    }
  }

  /** The Nodes on this cloud's servers, by server ID. Dedicated servers are left out. */
  #serversOf(service: Service, nodes: readonly Node[]): Map<number, Node> {
    const servers = new Map<number, Node>();
    for (const node of nodes) {
      const providerId = readProviderId(node.spec?.providerID ?? "");
      if (providerId.kind === "server") servers.set(providerId.id, node);
      if (providerId.kind !== "foreign") continue;
      this.#setup.warnings.ofNode(
        node,
        "UnknownProviderIDPrefix",
        `Node could not be added to Load Balancer for service ${service.metadata?.name} because the provider ID does not match ` +
          "any known format",
      );
    }
    return servers;
  }

  #tellFull(node: Node, service: Service): void {
    this.#setup.warnings.ofNode(
      node,
      "MaxTargetsReached",
      `Node could not be added to Load Balancer for service ${service.metadata?.name} because the max number of targets has been reached`,
    );
  }
}

/** The Nodes that a Service's annotation selects as targets. */
function selectNodes(service: Service, nodes: readonly Node[]): readonly Node[] {
  const selector = new Annotations(service).read("node-selector", parseLabelSelector);
  return selector ? nodes.filter(({ metadata }) => selector.matches(metadata?.labels ?? {})) : nodes;
}
