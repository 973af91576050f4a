import { encodeHex } from "@std/encoding/hex";
import { type SigningAlgorithm, SigningError } from "../running/mod.ts";

/** Object identifiers in DER at the start of a key's SubjectPublicKeyInfo, with the algorithm for tokens. */
const BY_IDENTIFIER: readonly (readonly [identifier: string, algorithm: SigningAlgorithm])[] = [
  ["06092a864886f70d010101", "RS256"], // rsaEncryption
  ["06082a8648ce3d030107", "ES256"], // P-256
  ["06052b81040022", "ES384"], // P-384
  ["06052b81040023", "ES512"], // P-521
];
/** Enough for two sequences and two identifiers. */
const HEADER_BYTES = 32;

/**
 * The algorithm for signing tokens with a key, which depends on its kind.
 *
 * @param publicKey SubjectPublicKeyInfo in DER.
 * @throws {SigningError} If it is neither RSA nor on one of the three curves.
 */
export function signingAlgorithm(publicKey: Uint8Array<ArrayBuffer>): SigningAlgorithm {
  const header = encodeHex(publicKey.subarray(0, HEADER_BYTES));
  const found = BY_IDENTIFIER.find(([identifier]) => header.includes(identifier));
  if (!found) {
    throw new SigningError("unknown private key type or curve, must be RSA, or ECDSA of 256, 384 or 521 bits");
  }
  return found[1];
}
