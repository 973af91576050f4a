import { type Check, dnsSubdomain } from "../../validation/mod.ts";

const LONGEST_BYTES = 253;

/** Subdomains separated by slashes. Upstream: `apimachinery/pkg/api/validate/strfmt.go` (ResourcePoolName). */
export const poolFormat: Check<string> = (pool, at, errors) => {
  if (pool.length > LONGEST_BYTES) errors.tooLong(at, LONGEST_BYTES);
  for (const part of pool.split("/")) errors.invalidFor(at, part, dnsSubdomain(part));
};
