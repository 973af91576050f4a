import { bigIntOf, type Bytes, DerReader, MalformedError, TAG } from "./der_reader.ts";
import { bitString, bytesOf, natural, oid, sequence } from "./der_writer.ts";
import { type CurveName, curveNamed, curveOf, isOnCurve, type Point } from "./curves.ts";
import { OID } from "./identifiers.ts";

/** A public key by its kind. */
export type PublicKey =
  | { readonly type: "rsa"; readonly modulus: Bytes; readonly exponent: Bytes }
  | { readonly type: "ec"; readonly curve: CurveName; readonly point: Point; readonly bytes: Bytes }
  | { readonly type: "ed25519"; readonly bytes: Bytes }
  /** A key that signs nothing here: DSA, X25519, unknown kinds. */
  | { readonly type: "other" };

const NULL = bytesOf("0500");

/**
 * Reads a SubjectPublicKeyInfo.
 *
 * Upstream: `crypto/x509` (parsePublicKey).
 *
 * @throws {MalformedError}
 */
export function readPublicKey(whole: Bytes): PublicKey {
  const info = new DerReader(whole, "the public key").inside(TAG.sequence);
  const algorithm = info.inside(TAG.sequence);
  const kind = algorithm.oid();
  const parameters = algorithm.isEmpty ? undefined : algorithm.any();
  const key = info.bits();
  switch (kind) {
    case OID.rsaKey:
      if (parameters?.tag !== TAG.null || parameters.body.length > 0) {
        throw malformed("RSA key missing NULL parameters");
      }
      return readRsaKey(key);
    case OID.ecKey: {
      const curve = parameters && curveOf(parameters.whole);
      if (!curve) throw malformed("unsupported elliptic curve");
      const size = Math.ceil(curve.bits / 8);
      if (key.length !== 1 + 2 * size || key[0] !== 4) throw malformed("the point is not uncompressed");
      const point = { x: bigIntOf(key.subarray(1, 1 + size)), y: bigIntOf(key.subarray(1 + size)) };
      if (!isOnCurve(curve, point)) throw malformed("the point is not on the curve");
      return { type: "ec", curve: curve.name, point, bytes: key };
    }
    case OID.ed25519:
      if (parameters || key.length !== 32) throw malformed("wrong Ed25519 public key");
      return { type: "ed25519", bytes: key };
    default:
      return { type: "other" };
  }
}

function readRsaKey(key: Bytes): PublicKey {
  const parts = new DerReader(key, "the RSA public key").inside(TAG.sequence);
  const modulus = parts.natural();
  const exponent = parts.natural();
  if (modulus.length === 0) throw new MalformedError("x509: RSA modulus is not a positive number");
  if (exponent.length === 0) throw new MalformedError("x509: RSA public exponent is not a positive number");
  if (exponent.length > 8 || (exponent.length === 8 && exponent[0] & 0x80)) {
    throw malformed("invalid RSA public exponent");
  }
  return { type: "rsa", modulus, exponent };
}

/** The SubjectPublicKeyInfo of a key. @throws {MalformedError} For a key of an unknown kind. */
export function publicKeyBytes(key: PublicKey): Bytes {
  switch (key.type) {
    case "rsa": {
      const parts = sequence(natural(key.modulus), natural(key.exponent));
      return sequence(sequence(oid(OID.rsaKey), NULL), bitString(parts));
    }
    case "ec":
      return sequence(sequence(oid(OID.ecKey), curveNamed(key.curve).oid), bitString(key.bytes));
    case "ed25519":
      return sequence(sequence(oid(OID.ed25519)), bitString(key.bytes));
    case "other":
      throw malformed("unsupported public key type");
  }
}

function malformed(why: string): MalformedError {
  return new MalformedError(`the public key is malformed: ${why}`);
}
