import type { IPAddress, ServiceCIDR } from "../../api/mod.ts";
import type { CidrContext } from "./context.ts";
import { type Address, contains, overlap, parseAddress, parsePrefix, type Prefix } from "../../ip/mod.ts";
import { isAllocatable } from "./allocatable.ts";

/** Label of an IPAddress with the name of its allocator. */
const MANAGED_BY_LABEL = "ipaddress.kubernetes.io/managed-by";
/** The API server's allocator of Services' addresses. */
const ALLOCATOR = "ipallocator.k8s.io";
/** Label of an IPAddress: `IPv4` or `IPv6`. */
const FAMILY_LABEL = "ipaddress.kubernetes.io/ip-family";

/** Ranges by the objects that have them, which never change. */
const parsed = new WeakMap<ServiceCIDR, readonly Prefix[]>();

/** The ranges of a ServiceCIDR from a cache, at most one of each family. */
export function rangesOf(cidr: ServiceCIDR): readonly Prefix[] {
  let ranges = parsed.get(cidr);
  if (!ranges) {
    ranges = (cidr.spec?.cidrs ?? []).map(parsePrefix).filter((range) => range !== undefined);
    parsed.set(cidr, ranges);
  }
  return ranges;
}

/** The address that an IPAddress stands for, if the API server has allocated it for a Service. */
export function allocated({ metadata }: IPAddress): Address | undefined {
  return metadata?.labels?.[MANAGED_BY_LABEL] === ALLOCATOR ? parseAddress(metadata.name ?? "") : undefined;
}

/** Whether an allocated address is marked as one of the family. */
export function isMarked({ metadata }: IPAddress, family: Address["family"]): boolean {
  return metadata?.labels?.[FAMILY_LABEL] === family;
}

type Cidrs = Pick<CidrContext, "cidrs">;

/** Names of the ServiceCIDRs that have addresses in common with this one, which is among them if it is cached. */
export function overlapping(cidr: ServiceCIDR, { cidrs }: Cidrs): string[] {
  const own = rangesOf(cidr);
  return named(cidrs.list(), (range) => own.some((each) => overlap(range, each)));
}

/** Names of the ServiceCIDRs that a Service can have the address from. */
export function containing(address: Address, { cidrs }: Cidrs): string[] {
  return named(cidrs.list(), (range) => isAllocatable(range, address));
}

function named(cidrs: readonly ServiceCIDR[], matches: (range: Prefix) => boolean): string[] {
  return cidrs.filter((cidr) => rangesOf(cidr).some(matches)).map(({ metadata }) => metadata?.name ?? "");
}

/**
 * Whether another ServiceCIDR has all addresses of each of this one's ranges; for two ranges these may be two.
 *
 * @param others All but this one.
 */
export function isCovered(cidr: ServiceCIDR, others: readonly ServiceCIDR[]): boolean {
  return rangesOf(cidr).every((own) => others.some((other) => rangesOf(other).some((range) => contains(range, own))));
}
