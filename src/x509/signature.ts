import { createPublicKey, verify } from "node:crypto";
import { Buffer } from "node:buffer";
import { type Bytes, DerReader, TAG } from "./der_reader.ts";
import { isEcdsaSignature } from "./ecdsa.ts";
import { OID } from "./identifiers.ts";
import { type PublicKey, publicKeyBytes } from "./public_key.ts";
import { digestOf, type HashName, verifyRsa } from "./rsa.ts";

/** A signature algorithm. */
export type SignatureAlgorithm =
  | { readonly scheme: "pkcs1" | "pss" | "ecdsa"; readonly hash: HashName }
  | { readonly scheme: "ed25519" }
  /** MD5, which must not be trusted. */
  | { readonly scheme: "insecure" }
  | { readonly scheme: "unknown" };

const UNKNOWN: SignatureAlgorithm = { scheme: "unknown" };
const RSA_WITH = "2a864886f70d0101";
const ECDSA_WITH = "2a8648ce3d0403";

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  [`${RSA_WITH}04`]: { scheme: "insecure" },
  [`${RSA_WITH}05`]: { scheme: "pkcs1", hash: "sha1" },
  "2b0e03021d": { scheme: "pkcs1", hash: "sha1" },
  [`${RSA_WITH}0b`]: { scheme: "pkcs1", hash: "sha256" },
  [`${RSA_WITH}0c`]: { scheme: "pkcs1", hash: "sha384" },
  [`${RSA_WITH}0d`]: { scheme: "pkcs1", hash: "sha512" },
  "2a8648ce3d0401": { scheme: "ecdsa", hash: "sha1" },
  [`${ECDSA_WITH}02`]: { scheme: "ecdsa", hash: "sha256" },
  [`${ECDSA_WITH}03`]: { scheme: "ecdsa", hash: "sha384" },
  [`${ECDSA_WITH}04`]: { scheme: "ecdsa", hash: "sha512" },
};
const PSS_HASHES: Readonly<Record<string, { readonly hash: HashName; readonly salt: number }>> = {
  "608648016503040201": { hash: "sha256", salt: 32 },
  "608648016503040202": { hash: "sha384", salt: 48 },
  "608648016503040203": { hash: "sha512", salt: 64 },
};

/** Upstream: `crypto/x509` (getSignatureAlgorithmFromAI). @throws {MalformedError} */
export function readSignatureAlgorithm(identifier: DerReader): SignatureAlgorithm {
  const id = identifier.oid();
  const parameters = identifier.isEmpty ? undefined : identifier.any();
  if (id === OID.ed25519) return parameters ? UNKNOWN : { scheme: "ed25519" };
  if (id === OID.pss) return parameters ? readPss(parameters.whole) : UNKNOWN;
  return ALGORITHMS[id] ?? UNKNOWN;
}

/** The mask must use the same hash, and the salt must be as long as its digest. */
function readPss(whole: Bytes): SignatureAlgorithm {
  try {
    const parameters = new DerReader(whole, "the signature's parameters").inside(TAG.sequence);
    const hash = parameters.inside(TAG.context(0)).inside(TAG.sequence).oid();
    const mask = parameters.inside(TAG.context(1)).inside(TAG.sequence);
    const isMgf1 = mask.oid() === OID.mgf1;
    const maskHash = mask.inside(TAG.sequence).oid();
    const [salt] = parameters.inside(TAG.context(2)).natural();
    const known = PSS_HASHES[hash];
    if (!known || !isMgf1 || maskHash !== hash || salt !== known.salt) return UNKNOWN;
    return { scheme: "pss", hash: known.hash };
  } catch {
    return UNKNOWN;
  }
}

/** Signed bytes whose signature is not verified yet. */
export interface Signed {
  readonly algorithm: SignatureAlgorithm;
  readonly signed: Bytes;
  readonly signature: Bytes;
}

/**
 * Verifies that the holder of a key signed these bytes.
 *
 * Upstream: `crypto/x509` (checkSignature).
 *
 * @throws {Error} If not, or if that cannot be determined, with Go's message.
 */
export function verifySignature(key: PublicKey, { algorithm, signed, signature }: Signed): void {
  if (algorithm.scheme === "insecure") throw new Error("x509: cannot verify signature: insecure algorithm MD5-RSA");
  if (algorithm.scheme === "unknown" || key.type === "other") {
    throw new Error("x509: cannot verify signature: algorithm unimplemented");
  }
  switch (algorithm.scheme) {
    case "pkcs1":
    case "pss": {
      if (key.type !== "rsa") throw mismatch("RSA", key);
      const { hash, scheme } = algorithm;
      verifyRsa(scheme, { key, hash, digest: digestOf(hash, signed), signature });
      return;
    }
    case "ecdsa":
      if (key.type !== "ec") throw mismatch("ECDSA", key);
      if (!isEcdsaSignature(key, digestOf(algorithm.hash, signed), signature)) {
        throw new Error("x509: ECDSA verification failure");
      }
      return;
    case "ed25519":
      if (key.type !== "ed25519") throw mismatch("Ed25519", key);
      if (!isEd25519Signature(key, signed, signature)) throw new Error("x509: Ed25519 verification failure");
  }
}

function isEd25519Signature(key: PublicKey, signed: Bytes, signature: Bytes): boolean {
  try {
    const open = createPublicKey({ key: Buffer.from(publicKeyBytes(key)), format: "der", type: "spki" });
    return verify(null, signed, open, signature);
  } catch {
    return false;
  }
}

const GO_TYPES = { rsa: "*rsa.PublicKey", ec: "*ecdsa.PublicKey", ed25519: "ed25519.PublicKey" };

function mismatch(expected: string, { type }: { readonly type: keyof typeof GO_TYPES }): Error {
  const found = GO_TYPES[type];
  return new Error(
    `x509: signature algorithm specifies an ${expected} public key, but have public key of type ${found}`,
  );
}
