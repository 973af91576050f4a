import type { Node, NodeAddress } from "../../api/mod.ts";
import { CloudError, InstanceNotFoundError } from "../errors.ts";
import type { InstanceMetadata, Instances } from "../provider.ts";
import { providerIdOf, readProviderId } from "./provider_id.ts";
import type { Server } from "./server.ts";
import { describeKey, type ServerKey, type Servers } from "./server_cache.ts";
import type { HcloudSettings } from "./settings.ts";

/** The data centres that locations used to be: Nodes keep these zones. */
const LEGACY_ZONES: Readonly<Record<string, string>> = {
  nbg1: "nbg1-dc3",
  hel1: "hel1-dc2",
  fsn1: "fsn1-dc14",
  ash: "ash-dc1",
  hil: "hil-dc1",
  sin: "sin-dc1",
};

/**
 * The servers behind Nodes: found by `spec.providerID` (`hcloud://42`) or by the Node's name.
 * Upstream: `hcloud-cloud-controller-manager/hcloud/instances.go`.
 *
 * Differences: a server that is missing from a successful list does not count as gone yet, see {@link
 * Servers.confirmGone}. A Node of a dedicated server, or of another cloud, is an error: nothing is known about its
 * machine.
 */
export class HcloudInstances implements Instances {
  readonly #servers: Servers;
  readonly #settings: HcloudSettings;
  /** The network's ID, if there is one. */
  readonly #network: number | undefined;

  constructor(servers: Servers, settings: HcloudSettings, network: number | undefined) {
    this.#servers = servers;
    this.#settings = settings;
    this.#network = network;
  }

  async instanceExists(node: Node, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(node);
    if (await this.#find(key, signal)) return true;
    const server = await this.#servers.confirmGone(key, signal);
    return server !== undefined;
  }

  async instanceShutdown(node: Node, signal: AbortSignal): Promise<boolean> {
    return (await this.#get(node, signal)).status === "off";
  }

  async instanceMetadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata> {
    const server = await this.#get(node, signal);
    return {
      providerID: providerIdOf(server.id),
      instanceType: server.type,
      nodeAddresses: this.#addresses(server),
      region: server.location,
      ...this.#settings.hasZoneLabel && { zone: zoneOf(server.location) },
      additionalLabels: { "instance.hetzner.cloud/provided-by": "cloud" },
    };
  }

  #addresses({ name, ipv4, ipv6, privateNets }: Server): NodeAddress[] {
    const { addressFamily } = this.#settings;
    const addresses: NodeAddress[] = [{ type: "Hostname", address: name }];
    if (ipv4 && addressFamily !== "ipv6") addresses.push({ type: "ExternalIP", address: ipv4 });
    if (ipv6 && addressFamily !== "ipv4") addresses.push({ type: "ExternalIP", address: ipv6 });
    for (const { network, ip } of privateNets) {
      if (network === this.#network && ip) addresses.push({ type: "InternalIP", address: ip });
    }
    return addresses;
  }

  /** @throws {InstanceNotFoundError} If there is no such server. */
  async #get(node: Node, signal: AbortSignal): Promise<Server> {
    const key = keyOf(node);
    const server = await this.#find(key, signal) ?? await this.#servers.confirmGone(key, signal);
    if (server) return server;
    throw new InstanceNotFoundError(
      `no matching server found for node ${node.metadata?.name}: ${describeKey(key)} is not in the project`,
    );
  }

  async #find(key: ServerKey, signal: AbortSignal): Promise<Server | undefined> {
    const server = await this.#servers.find(key, signal);
    if (server && "id" in key) this.#servers.prove(server);
    return server;
  }
}

/** @throws {CloudError} If the Node's machine is not one of this cloud's servers. */
function keyOf({ metadata: { name = "" } = {}, spec: { providerID = "" } = {} }: Node): ServerKey {
  if (providerID === "") {
    if (name === "") throw new CloudError("a Node without a name and providerID cannot be a server");
    return { name };
  }
  const id = readProviderId(providerID);
  switch (id.kind) {
    case "server":
      return { id: id.id };
    case "dedicated":
      throw new CloudError(
        `nothing is known of the machine of node ${name}: ${providerID} is a dedicated server, which this provider does not know`,
      );
    case "foreign":
      throw new CloudError(
        `nothing is known of the machine of node ${name}: ${JSON.stringify(providerID)} does not begin with hcloud://`,
      );
  }
}

function zoneOf(location: string): string {
  return Object.hasOwn(LEGACY_ZONES, location) ? LEGACY_ZONES[location] : location;
}
