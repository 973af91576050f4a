/** Ranges of addresses, their blocks, and which blocks are held. */
export {
  bitsOf,
  type Cidr,
  cidrText,
  type Family,
  isDualStack,
  lastAddress,
  overlap,
  parseAddress,
  parseCidr,
} from "./cidr.ts";
export { clusterCidrs } from "./cluster_cidrs.ts";
export { DividedRange } from "./divided_range.ts";
export { type BlockRange, HeldBlocks } from "./held_blocks.ts";
