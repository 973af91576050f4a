import { type Cidr, isDualStack, parseCidr } from "./cidr.ts";

/**
 * Parses `--cluster-cidr`: a range of pod addresses, or one of each family, separated by a comma.
 *
 * @throws {Error} If it is anything else, or empty.
 */
export function clusterCidrs(text: string): Cidr[] {
  const cidrs = text.trim().split(",").map((each) => {
    try {
      return parseCidr(each);
    } catch (cause) {
      throw new Error(
        `invalid CIDR[${each}] in --cluster-cidr: give the range of the cluster's pods, or one of each IP family`,
        { cause },
      );
    }
  });
  if (cidrs.length > 1 && !isDualStack(cidrs)) {
    throw new Error(
      `len of ClusterCIDRs==${cidrs.length} and they are not configured as dual stack (at least one from each IPFamily`,
    );
  }
  if (cidrs.length > 2) throw new Error(`length of clusterCIDRs is:${cidrs.length} more than max allowed of 2`);
  return cidrs;
}
