/** Subsets of Endpoints: their canonical form, whether two are the same, and how many addresses they may have. */
export { repackSubsets, TooManyAddressesError } from "./repack.ts";
export { sameSubsets } from "./same_subsets.ts";
export { countAddresses, truncatedSubsets } from "./truncation.ts";
