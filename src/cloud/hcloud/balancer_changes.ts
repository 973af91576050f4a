import { CloudError } from "../errors.ts";
import type { Balancer } from "./balancer.ts";
import { SERVICE_UID_LABEL } from "./balancer.ts";
import type { BalancerWish } from "./balancer_wish.ts";

/** A write that brings a load balancer closer to what a Service wants. */
export type BalancerChange =
  | { readonly kind: "update"; readonly body: object }
  | { readonly kind: "act"; readonly action: string; readonly body?: object };

/**
 * The writes, in order, that make a load balancer match what a Service wants, except for ports and targets.
 * Upstream: `hcloud-cloud-controller-manager/internal/hcops` (ReconcileHCLB).
 *
 * @param type The wanted kind of load balancer.
 * @param network The network it must be in, if any.
 */
export function balancerChanges(
  balancer: Balancer,
  wish: BalancerWish,
  type: { readonly id: number; readonly name: string },
  network: number | undefined,
): BalancerChange[] {
  const changes: BalancerChange[] = [];
  const act = (action: string, body?: object) => changes.push({ kind: "act", action, body });
  const labels = balancer.labels[SERVICE_UID_LABEL] === wish.uid
    ? undefined
    : { ...balancer.labels, [SERVICE_UID_LABEL]: wish.uid };
  const name = wish.isNameSet && wish.name !== balancer.name ? wish.name : undefined;
  if (labels || name !== undefined) {
    changes.push({ kind: "update", body: { ...name !== undefined && { name }, ...labels && { labels } } });
  }
  const addresses = [[balancer.ipv4, wish.ipv4Rdns], [balancer.ipv6, wish.ipv6Rdns]] as const;
  for (const [{ ip, rdns }, wished] of addresses) {
    if (wished !== undefined && wished !== rdns && ip) act("change_dns_ptr", { ip, dns_ptr: wished });
  }
  if (wish.algorithm && wish.algorithm !== balancer.algorithm) act("change_algorithm", { type: wish.algorithm });
  // Without an annotation it keeps its type: no change was requested.
  if (wish.isTypeSet && type.name !== balancer.type) act("change_type", { load_balancer_type: type.id });
  for (const { action, body } of networkChanges(balancer, wish, network)) act(action, body);
  if (wish.isPublic !== undefined && wish.isPublic !== balancer.isPublic) {
    act(wish.isPublic ? "enable_public_interface" : "disable_public_interface");
  }
  return changes;
}

function networkChanges(
  { privateNets }: Balancer,
  { privateIp, privateSubnet }: BalancerWish,
  network: number | undefined,
): { readonly action: string; readonly body: object }[] {
  const isRight = (net: { readonly network: number; readonly ip: string }) =>
    net.network === network && (privateIp === undefined || net.ip === privateIp);
  const changes = privateNets.filter((net) => !isRight(net))
    .map((net) => ({ action: "detach_from_network", body: { network: net.network } }));
  if (network === undefined || privateNets.some(isRight)) return changes;
  const body = { network, ...privateIp && { ip: privateIp }, ...privateSubnet && { ip_range: privateSubnet } };
  return [...changes, { action: "attach_to_network", body }];
}

/**
 * The request for a new load balancer.
 *
 * @throws {CloudError} If there is neither a location nor a network zone.
 */
export function newBalancer(wish: BalancerWish, type: { readonly id: number }): object {
  const { name, uid, location, networkZone, algorithm, isPublic } = wish;
  if (!location && !networkZone) {
    throw new CloudError(
      "neither load-balancer.hetzner.cloud/location nor load-balancer.hetzner.cloud/network-zone set",
    );
  }
  return {
    name,
    load_balancer_type: type.id,
    ...algorithm && { algorithm: { type: algorithm } },
    ...location ? { location } : { network_zone: networkZone },
    labels: { [SERVICE_UID_LABEL]: uid },
    ...isPublic !== undefined && { public_interface: isPublic },
  };
}
