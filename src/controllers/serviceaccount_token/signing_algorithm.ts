import { encodeHex } from "@std/encoding/hex";
import { type SigningAlgorithm, SigningError } from "../running/mod.ts";

/** Object identifiers in DER, as a key's SubjectPublicKeyInfo begins with them, and what tokens are signed by with such a key. */
const BY_IDENTIFIER: readonly (readonly [identifier: string, algorithm: SigningAlgorithm])[] = [
  ["06092a864886f70d010101", "RS256"], // rsaEncryption
  ["06082a8648ce3d030107", "ES256"], // P-256
  ["06052b81040022", "ES384"], // P-384
  ["06052b81040023", "ES512"], // P-521
];
/** Two sequences and two identifiers are no longer. */
const HEADER_BYTES = 32;

/**
 * The algorithm that tokens are signed by with a key, which follows from its kind.
 *
 * @param publicKey SubjectPublicKeyInfo in DER.
 * @throws {SigningError} If it is neither RSA nor of one of the three curves.
 */
export function signingAlgorithm(publicKey: Uint8Array<ArrayBuffer>): SigningAlgorithm {
  const header = encodeHex(publicKey.subarray(0, HEADER_BYTES));
  const found = BY_IDENTIFIER.find(([identifier]) => header.includes(identifier));
  if (!found) {
    throw new SigningError("unknown private key type or curve, must be RSA, or ECDSA of 256, 384 or 521 bits");
  }
  return found[1];
}
