import { type Check, dnsSubdomain } from "../../validation/mod.ts";

const LONGEST_BYTES = 253;

/** Subdomains with slashes between them. Upstream: validatePoolName. */
export const poolName: Check<string> = (pool, at, errors) => {
  if (!pool) return errors.required(at);
  if (pool.length > LONGEST_BYTES) errors.tooLong(at, LONGEST_BYTES);
  for (const part of pool.split("/")) errors.invalidFor(at, part, dnsSubdomain(part));
};
