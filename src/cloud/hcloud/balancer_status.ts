import type { LoadBalancerIngress, LoadBalancerStatus } from "../../api/mod.ts";
import type { Balancer } from "./balancer.ts";
import type { BalancerWish } from "./balancer_wish.ts";

/** Where a Service is reached: the hostname that its annotation says, or the addresses of its load balancer. */
export function balancerStatus(
  { isPublic, ipv4, ipv6, privateNets }: Balancer,
  { hostname, isProxy, showsIpv6, showsPrivateIps }: BalancerWish,
): LoadBalancerStatus {
  if (hostname !== undefined) return { ingress: [{ hostname }] };
  const addresses = [
    ...isPublic ? [ipv4.ip, ...showsIpv6 ? [ipv6.ip] : []] : [],
    ...showsPrivateIps ? privateNets.map(({ ip }) => ip) : [],
  ];
  // With the proxy protocol, connections must not take a short cut past the load balancer.
  const ipMode = isProxy ? "Proxy" : "VIP";
  const ingress: LoadBalancerIngress[] = addresses.filter((ip) => ip !== "").map((ip) => ({ ip, ipMode }));
  return ingress.length > 0 ? { ingress } : {};
}
