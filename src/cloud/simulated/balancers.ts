import type { LoadBalancerStatus, Node, Service } from "../../api/mod.ts";
import { deepEqual } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";

/** A load balancer in memory. */
export interface Balancer {
  /** The Service's. */
  readonly uid: string;
  /** `namespace/name` of the Service. */
  readonly service: string;
  /** In the order of the Service's families. */
  readonly addresses: readonly string[];
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly nodePort?: number }[];
  /** The provider IDs of the nodes that it sends traffic to, sorted. */
  readonly targets: readonly string[];
  /** Allowed sources; everybody if empty. */
  readonly sourceRanges: readonly string[];
}

/** Documentation networks (RFC 5737 and RFC 3849), where nothing on the internet answers by accident. */
const NETWORKS: Readonly<Record<string, string>> = { IPv4: "203.0.113.", IPv6: "2001:db8::" };
const LAST_HOST = 254;
const SOURCE_RANGES_ANNOTATION = "service.beta.kubernetes.io/load-balancer-source-ranges";

/**
 * The load balancers of a simulated cloud, one a Service.
 *
 * Contract:
 * 1. No address is given to two of them.
 * 2. A balancer keeps its addresses while its families stay. One that is made again, after a restart, gets those that
 *    the Service's status shows if they are free.
 * 3. A repeated call with unchanged arguments changes nothing.
 */
export class Balancers {
  readonly #byUid = new Map<string, Balancer>();
  /** Which balancer has an address. */
  readonly #taken = new Map<string, string>();
  #changes = 0;

  get all(): readonly Balancer[] {
    return [...this.#byUid.values()];
  }

  /** How often something was made, changed or removed. */
  get changes(): number {
    return this.#changes;
  }

  status(uid: string): LoadBalancerStatus | null {
    const balancer = this.#byUid.get(uid);
    return balancer ? { ingress: balancer.addresses.map((ip) => ({ ip, ipMode: "VIP" })) } : null;
  }

  /** @throws {CloudError} If there is no address for it. */
  ensure(service: Service, nodes: readonly Node[]): LoadBalancerStatus {
    const { uid = "", namespace, name } = service.metadata ?? {};
    const addresses = this.#addressesFor(service);
    this.#put({
      uid,
      service: `${namespace}/${name}`,
      addresses,
      ports: (service.spec?.ports ?? []).map(({ protocol = "TCP", port, nodePort }) => ({ protocol, port, nodePort })),
      targets: targetsOf(nodes),
      sourceRanges: sourceRangesOf(service),
    });
    return this.status(uid)!;
  }

  /** @throws {CloudError} If there is no such balancer. */
  update({ metadata }: Service, nodes: readonly Node[]): void {
    const balancer = this.#byUid.get(metadata?.uid ?? "");
    if (!balancer) throw new CloudError(`there is no load balancer for ${metadata?.namespace}/${metadata?.name}`);
    this.#put({ ...balancer, targets: targetsOf(nodes) });
  }

  delete(uid: string): void {
    const balancer = this.#byUid.get(uid);
    if (!balancer) return;
    this.#byUid.delete(uid);
    for (const address of balancer.addresses) this.#taken.delete(address);
    this.#changes++;
  }

  #put(balancer: Balancer): void {
    const before = this.#byUid.get(balancer.uid);
    if (before && deepEqual(before, balancer)) return;
    for (const address of before?.addresses ?? []) this.#taken.delete(address);
    for (const address of balancer.addresses) this.#taken.set(address, balancer.uid);
    this.#byUid.set(balancer.uid, balancer);
    this.#changes++;
  }

  /** Allocates nothing unless there is an address of each family. */
  #addressesFor(service: Service): string[] {
    const { uid = "" } = service.metadata ?? {};
    const { ipFamilies = ["IPv4"], loadBalancerIP } = service.spec ?? {};
    const shown = service.status?.loadBalancer?.ingress?.map(({ ip = "" }) => ip) ?? [];
    const held = this.#byUid.get(uid)?.addresses ?? [];
    const isFree = (address: string) => (this.#taken.get(address) ?? uid) === uid;
    return ipFamilies.map((family) => {
      const mine = (address: string) => isOf(family, address) && isFree(address);
      if (loadBalancerIP && isFamily(family, loadBalancerIP)) {
        if (mine(loadBalancerIP)) return loadBalancerIP;
        throw new CloudError(`the address ${loadBalancerIP} that spec.loadBalancerIP asks for is taken or not of ours`);
      }
      const address = [...held, ...shown].find(mine) ?? hosts(family).find(isFree);
      if (address) return address;
      throw new CloudError(`there is no free ${family} address: all ${LAST_HOST} of ${NETWORKS[family]} are taken`);
    });
  }
}

function hosts(family: string): string[] {
  return Array.from(
    { length: LAST_HOST },
    (_, i) => NETWORKS[family] + (family === "IPv4" ? i + 1 : (i + 1).toString(16)),
  );
}

function isFamily(family: string, address: string): boolean {
  return (family === "IPv6") === address.includes(":");
}

function isOf(family: string, address: string): boolean {
  return hosts(family).includes(address);
}

function targetsOf(nodes: readonly Node[]): string[] {
  return nodes.flatMap(({ spec }) => spec?.providerID ? [spec.providerID] : []).sort();
}

function sourceRangesOf({ metadata, spec }: Service): readonly string[] {
  const { loadBalancerSourceRanges = [] } = spec ?? {};
  if (loadBalancerSourceRanges.length > 0) return loadBalancerSourceRanges;
  const text = metadata?.annotations?.[SOURCE_RANGES_ANNOTATION]?.trim();
  return text ? text.split(",").map((range) => range.trim()) : [];
}
