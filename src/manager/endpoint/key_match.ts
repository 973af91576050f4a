import type { KeyObject } from "node:crypto";

/**
 * Whether a certificate was made for the key that `publicKey` belongs to. Deno 2.4 lacks `X509Certificate.checkPrivateKey`, and
 * does not know keys of every kind: those count as matching, and the first handshake shows what they are.
 */
export function isKeyOf(certificate: { readonly publicKey: KeyObject }, publicKey: () => KeyObject): boolean {
  const derOf = (key: KeyObject) => key.export({ type: "spki", format: "der" });
  try {
    return derOf(publicKey()).equals(derOf(certificate.publicKey));
  } catch (error) {
    if (error instanceof TypeError) return true;
    throw error;
  }
}
