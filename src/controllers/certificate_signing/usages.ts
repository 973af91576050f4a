/** The encoding of usages in a certificate. Upstream: `pkg/controller/certificates/authority/policies.go`. */

/** Bits of the extension keyUsage. */
const KEY_USAGES: ReadonlyMap<string, number> = new Map([
  ["signing", 0],
  ["digital signature", 0],
  ["content commitment", 1],
  ["key encipherment", 2],
  ["data encipherment", 3],
  ["key agreement", 4],
  ["cert sign", 5],
  ["crl sign", 6],
  ["encipher only", 7],
  ["decipher only", 8],
]);

/** Object identifiers in hexadecimal, in the order in which a certificate lists them. */
const EXTENDED_KEY_USAGES: ReadonlyMap<string, string> = new Map([
  ["any", "551d2500"],
  ["server auth", "2b06010505070301"],
  ["client auth", "2b06010505070302"],
  ["code signing", "2b06010505070303"],
  ["email protection", "2b06010505070304"],
  ["s/mime", "2b06010505070304"],
  ["ipsec end system", "2b06010505070305"],
  ["ipsec tunnel", "2b06010505070306"],
  ["ipsec user", "2b06010505070307"],
  ["timestamping", "2b06010505070308"],
  ["ocsp signing", "2b06010505070309"],
  ["microsoft sgc", "2b0601040182370a0303"],
  ["netscape sgc", "6086480186f8420401"],
]);

/** The usages of a certificate. */
export interface Usages {
  readonly keyUsage: readonly number[];
  readonly extendedKeyUsage: readonly string[];
}

/** @throws {Error} For unknown usages. */
export function usagesOf(names: readonly string[]): Usages {
  const unknown = names.filter((name) => !KEY_USAGES.has(name) && !EXTENDED_KEY_USAGES.has(name));
  if (unknown.length > 0) {
    throw new Error(`unrecognized usage values: [${unknown.map((name) => JSON.stringify(name)).join(" ")}]`);
  }
  const wanted = new Set(names);
  const of = <T>(table: ReadonlyMap<string, T>) => [
    ...new Set(table.entries().filter(([name]) => wanted.has(name)).map(([, value]) => value)),
  ];
  return { keyUsage: of(KEY_USAGES), extendedKeyUsage: of(EXTENDED_KEY_USAGES) };
}
