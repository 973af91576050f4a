import type { LoadBalancerIngress, LoadBalancerStatus } from "../../api/mod.ts";
import type { Balancer } from "./balancer.ts";
import type { BalancerWish } from "./balancer_wish.ts";

/** A Service's status: the hostname in its annotation, or its load balancer's addresses. */
export function balancerStatus(
  { isPublic, ipv4, ipv6, privateNets }: Balancer,
  { hostname, isProxy, showsIpv6, showsPrivateIps }: BalancerWish,
): LoadBalancerStatus {
  if (hostname !== undefined) return { ingress: [{ hostname }] };
  const addresses = [
    ...isPublic ? [ipv4.ip, ...showsIpv6 ? [ipv6.ip] : []] : [],
    ...showsPrivateIps ? privateNets.map(({ ip }) => ip) : [],
  ];
  // With the proxy protocol, connections must not bypass the load balancer.
  const ipMode = isProxy ? "Proxy" : "VIP";
  const ingress: LoadBalancerIngress[] = addresses.filter((ip) => ip !== "").map((ip) => ({ ip, ipMode }));
  return ingress.length > 0 ? { ingress } : {};
}
