/** Object identifiers, as the hexadecimal digits of their DER. */
export const OID = {
  rsaKey: "2a864886f70d010101",
  ecKey: "2a8648ce3d0201",
  ed25519: "2b6570",
  extensionRequest: "2a864886f70d01090e",
  subjectKeyIdentifier: "551d0e",
  keyUsage: "551d0f",
  alternativeNames: "551d11",
  basicConstraints: "551d13",
  authorityKeyIdentifier: "551d23",
  extendedKeyUsage: "551d25",
  pss: "2a864886f70d01010a",
  mgf1: "2a864886f70d010108",
} as const;
