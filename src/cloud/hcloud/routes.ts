import type { World } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";
import type { CloudRoute, Routes } from "../provider.ts";
import { actionDone } from "./actions.ts";
import { addressText, holds, rangeText } from "./addresses.ts";
import type { HcloudApi } from "./api.ts";
import { conflictIfBusy, isRefusal } from "./failures.ts";
import { type Network, networkById, type NetworkRoute } from "./network.ts";
import type { Server } from "./server.ts";
import type { Servers } from "./server_cache.ts";
import type { Warnings } from "./warnings.ts";

/** How old the list of servers used for routes' targets may be: their addresses in the network hardly ever change. */
const TARGET_MAX_AGE_MS = 60_000;

/** Options of {@link HcloudRoutes}. */
export interface RoutesSetup {
  readonly api: HcloudApi;
  readonly world: World;
  readonly servers: Servers;
  /** The network's ID. */
  readonly network: number;
  readonly clusterCidrs: readonly string[];
  readonly warnings: Warnings;
}

/**
 * Routes in the cloud's network, from a Node's range of pod addresses to its server's address in the network.
 * Upstream: `hcloud-cloud-controller-manager/hcloud/routes.go`.
 *
 * Differences: a route is only a blackhole if the list of servers contains all servers of the network; otherwise
 * listing fails, because blackholes are deleted. Changes of a network are serialised, because the cloud refuses
 * concurrent ones.
 */
export class HcloudRoutes implements Routes {
  readonly #setup: RoutesSetup;
  /** Settles when the last change is done. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(setup: RoutesSetup) {
    this.#setup = setup;
  }

  async listRoutes(_clusterName: string, signal: AbortSignal): Promise<CloudRoute[]> {
    const { api, network: id } = this.#setup;
    const network = await networkById(api, id, signal);
    const servers = await this.#serversIn(network, signal);
    const names = new Map(servers.map((server) => [this.#addressOf(server) ?? "", server.name]));
    return network.routes.map(({ destination, gateway }) => {
      const targetNode = names.get(gateway);
      return {
        name: `${gateway}-${destination}`,
        destinationCIDR: destination,
        targetNode: targetNode ?? "",
        ...targetNode === undefined && { blackhole: true },
      };
    });
  }

  async createRoute(_clusterName: string, nameHint: string, route: CloudRoute, signal: AbortSignal): Promise<void> {
    const { targetNode, destinationCIDR } = route;
    const destination = rangeText(destinationCIDR);
    if (destination === undefined) throw new CloudError(`invalid CIDR address: ${destinationCIDR}`);
    if (destination.includes(":")) {
      throw new CloudError(
        `can't create route "${destination}" via node "${targetNode}": private networks do not support IPv6`,
      );
    }
    const gateway = await this.#gatewayOf(route, signal);
    this.#warnIfOutside(destination, targetNode, nameHint);
    await this.#alone(() => this.#upsert({ destination, gateway }, signal));
  }

  async deleteRoute(
    _clusterName: string,
    { name = "", destinationCIDR }: CloudRoute,
    signal: AbortSignal,
  ): Promise<void> {
    const gateway = name.endsWith(`-${destinationCIDR}`)
      ? addressText(name.slice(0, -destinationCIDR.length - 1))
      : undefined;
    if (gateway === undefined) throw new CloudError(`route ${name} was not listed`);
    await this.#alone(async () => {
      try {
        await this.#change("delete_route", { destination: destinationCIDR, gateway }, signal);
      } catch (error) {
        if (!isRefusal(error, "not_found")) throw error;
        const { routes } = await networkById(this.#setup.api, this.#setup.network, signal);
        if (routes.some((route) => route.destination === destinationCIDR && route.gateway === gateway)) throw error;
      }
    });
  }

  async #serversIn(network: Network, signal: AbortSignal): Promise<readonly Server[]> {
    const { servers } = this.#setup;
    const isComplete = (listed: readonly Server[]) => {
      const ids = new Set(listed.map(({ id }) => id));
      return network.servers.every((id) => ids.has(id)) && (ids.size > 0 || network.routes.length === 0);
    };
    const listed = await servers.all(signal);
    if (isComplete(listed)) return listed;
    const again = await servers.all(signal, 0);
    if (isComplete(again)) return again;
    throw new CloudError(`cannot tell where routes lead: the list of servers lacks some of network ${network.id}`);
  }

  /** The address of the target's server in the network; it must be one of the Node's addresses. */
  async #gatewayOf({ targetNode, targetNodeAddresses = [] }: CloudRoute, signal: AbortSignal): Promise<string> {
    const { servers, network } = this.#setup;
    const find = async (maxAgeMs: number) =>
      (await servers.all(signal, maxAgeMs)).find(({ name }) => name === targetNode);
    let server = await find(TARGET_MAX_AGE_MS);
    if (!server || this.#addressOf(server) === undefined) server = await find(0);
    if (!server) throw new CloudError(`hcloud server for node ${targetNode} not found`);
    const gateway = this.#addressOf(server);
    if (gateway === undefined) {
      throw new CloudError(
        `server ${server.name} (${server.id}): network with id ${network} not attached to this server`,
      );
    }
    if (!targetNodeAddresses.some(({ type, address }) => type === "InternalIP" && address === gateway)) {
      throw new CloudError(`IP ${gateway} not part of routes target addresses`);
    }
    return gateway;
  }

  #addressOf({ privateNets }: Server): string | undefined {
    return privateNets.find(({ network }) => network === this.#setup.network)?.ip || undefined;
  }

  /** A range leads to one address, so a route to another one is deleted first. */
  async #upsert(wanted: NetworkRoute, signal: AbortSignal): Promise<void> {
    const { routes } = await networkById(this.#setup.api, this.#setup.network, signal);
    const current = routes.find(({ destination }) => destination === wanted.destination);
    if (current?.gateway === wanted.gateway) return;
    if (current) await this.#change("delete_route", current, signal);
    await this.#change("add_route", wanted, signal);
  }

  #change(action: string, route: NetworkRoute, signal: AbortSignal): Promise<void> {
    const { api, world, network } = this.#setup;
    return conflictIfBusy(async () => {
      await actionDone(
        api,
        world,
        await api.send("POST", `/networks/${network}/actions/${action}`, route, signal),
        signal,
      );
    });
  }

  async #alone(change: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => {});
    await done;
  }

  #warnIfOutside(destination: string, node: string, uid: string): void {
    const { clusterCidrs, warnings } = this.#setup;
    if (clusterCidrs.some((cidr) => holds(rangeText(cidr) ?? "", destination))) return;
    warnings.ofNodeCalled(
      node,
      uid,
      "ClusterCIDRMisconfigured",
      `route CIDR ${destination} is not contained within cluster CIDR ${clusterCidrs.join(",")}`,
    );
  }
}
