/** IP addresses and ranges as numbers. Only the spellings that Kubernetes accepts today are read. */
export { type Address, addressText, bitsOf, type Family, parseAddress } from "./address.ts";
export { contains, overlap, parsePrefix, type Prefix, prefixText } from "./prefix.ts";
