import { constants, createPublicKey, verify } from "node:crypto";
import { Buffer } from "node:buffer";
import type { Bytes } from "./der_reader.ts";
import { type PublicKey, publicKeyBytes } from "./public_key.ts";

/**
 * Whether the holder of a key signed a text: with Ed25519, with ECDSA over its SHA-256, or with RSA-PSS over that and a
 * salt of any length.
 *
 * Upstream: `pkg/apis/certificates/validation/validation.go` (validateDeprecatedPKIXPublicKey).
 */
export function isProofOfPossession(key: PublicKey, text: string, proof: Bytes): boolean {
  const signed = new TextEncoder().encode(text);
  try {
    const open = createPublicKey({ key: Buffer.from(publicKeyBytes(key)), format: "der", type: "spki" });
    if (key.type === "ed25519") return verify(null, signed, open, proof);
    if (key.type === "ec") return verify("sha256", signed, open, proof);
    const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: saltLength } = constants;
    return verify("sha256", signed, { key: open, padding, saltLength }, proof);
  } catch {
    return false;
  }
}
