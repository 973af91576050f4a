/** Subsets of Endpoints: their canonical form, comparison, and size limits. */
export { repackSubsets, TooManyAddressesError } from "./repack.ts";
export { sameSubsets } from "./same_subsets.ts";
export { countAddresses, truncatedSubsets } from "./truncation.ts";
