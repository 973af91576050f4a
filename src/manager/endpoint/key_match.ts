import type { KeyObject } from "node:crypto";

/**
 * Whether a certificate is for the key that `publicKey` belongs to. Deno 2.4 lacks `X509Certificate.checkPrivateKey`
 * and does not support every kind of key. Unsupported ones count as matching; the first handshake shows whether they
 * do.
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
