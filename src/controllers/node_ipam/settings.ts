import type { Logger } from "../../base/mod.ts";
import { type Cidr, clusterCidrs, DividedRange, isDualStack, parseCidr } from "../address_ranges/mod.ts";

const DEFAULT_MASK = { 4: 24, 6: 64 } as const;

/** What the flags say. */
export interface IpamOptions {
  readonly allocates: boolean;
  readonly allocator: string;
  /** One range, or two of different families, separated by a comma. */
  readonly clusterRanges: string;
  readonly serviceRanges: string;
  readonly nodeCidrMaskSize: number;
  readonly nodeCidrMaskSizeIpv4: number;
  readonly nodeCidrMaskSizeIpv6: number;
}

/** The parsed settings. */
export interface IpamSettings {
  /** In the order of the flag, which is that of a node's ranges. */
  readonly clusterRanges: readonly DividedRange[];
  readonly serviceRanges: readonly Cidr[];
}

/**
 * The ranges from which nodes get theirs.
 * Upstream: `cmd/kube-controller-manager/app/core.go` (newNodeIpamController).
 *
 * @param log Logs malformed Service ranges, which are left out.
 * @throws {Error} If there are no ranges, or they cannot be divided.
 */
export function ipamSettings(options: IpamOptions, log: Pick<Logger, "info">): IpamSettings {
  if (options.allocator !== "RangeAllocator") throw new Error(`invalid CIDR allocator type: ${options.allocator}`);
  const clusterRanges = clusterCidrs(options.clusterRanges);
  const serviceRanges = serviceCidrs(options.serviceRanges, log);
  const masks = maskSizes(options, clusterRanges);
  if (clusterRanges.some(({ prefix }, i) => prefix > masks[i])) {
    throw new Error(
      "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to " +
        "--node-cidr-mask-size configured for CIDR family",
    );
  }
  return { clusterRanges: clusterRanges.map((range, i) => new DividedRange(range, masks[i])), serviceRanges };
}

function serviceCidrs(text: string, log: Pick<Logger, "info">): Cidr[] {
  const cidrs: Cidr[] = [];
  for (const each of text.split(",").slice(0, 2)) {
    if (each.trim() === "") continue;
    try {
      cidrs.push(parseCidr(each));
    } catch (err) {
      log.info("Warning: unsuccessful parsing of service CIDR", { CIDR: each, err });
    }
  }
  if (cidrs.length === 2 && !isDualStack(cidrs)) {
    throw new Error("serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
  }
  return cidrs;
}

function maskSizes(
  { nodeCidrMaskSize: any, nodeCidrMaskSizeIpv4: ipv4, nodeCidrMaskSizeIpv6: ipv6 }: IpamOptions,
  cidrs: readonly Cidr[],
): number[] {
  const flag = "--node-cidr-mask-size";
  const ofFamily = { 4: ipv4 || DEFAULT_MASK[4], 6: ipv6 || DEFAULT_MASK[6] };
  if (cidrs.length > 1) {
    if (any !== 0) throw new Error(`usage of ${flag} is not allowed with dual-stack clusters`);
    return cidrs.map(({ family }) => ofFamily[family]);
  }
  if (any !== 0) {
    if (ipv4 === 0 && ipv6 === 0) return [any];
    throw new Error(
      `usage of ${flag}-ipv4 and ${flag}-ipv6 is not allowed if ${flag} is set. For dual-stack clusters please unset it ` +
        "and use IPFamily specific flags",
    );
  }
  const [{ family }] = cidrs;
  if (ipv4 !== 0 && family === 6) {
    throw new Error(`usage of ${flag}-ipv4 is not allowed for a single-stack IPv6 cluster`);
  }
  if (ipv6 !== 0 && family === 4) {
    throw new Error(`usage of ${flag}-ipv6 is not allowed for a single-stack IPv4 cluster`);
  }
  return [ofFamily[family]];
}
