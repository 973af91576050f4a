/** The keys of pods' certificate requests. Upstream: `pkg/apis/certificates/validation/validation.go`. */
import { decodeBase64 } from "@std/encoding/base64";
import type { PodCertificateRequest } from "../../../../api/mod.ts";
import {
  type CertificateRequest,
  isProofOfPossession,
  type PublicKey,
  readPublicKey,
  readRequestBytes,
  verifyRequest,
} from "../../../../x509/mod.ts";
import { attempt } from "../../base/mod.ts";
import { type FieldErrors, problemOf } from "../../validation/mod.ts";

type Spec = PodCertificateRequest["spec"];

const MOST_BYTES = 10 * 1024;
const REQUEST = "spec.stubPKCS10Request";
const KEY = "spec.pkixPublicKey";
const PROOF = "spec.proofOfPossession";
const RSA_BITS = [3072, 4096];
const KINDS = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";

/** Requires a PKCS #10 request, or a key and a proof that the requestor holds it. */
export function validatePodKey(spec: Spec, errors: FieldErrors): void {
  const { stubPKCS10Request: request, pkixPublicKey: key, proofOfPossession: proof } = spec;
  if (request && !key && !proof) return validateRequest(request, errors);
  if (!request && key && proof) return validateProven(spec, errors);
  errors.invalid("spec", spec, "must have stubPKCS10Request, or pkixPublicKey and proofOfPossession");
}

function validateRequest(text: string, errors: FieldErrors): void {
  const bytes = decodeBase64(text);
  if (bytes.length > MOST_BYTES) return errors.tooLong(REQUEST, MOST_BYTES);
  const request = readRequest(bytes);
  if (!request) return errors.invalid(REQUEST, text, "must be a valid PKCS#10 CSR");
  if (request.publicKey.type === "other") return errors.invalid(REQUEST, text, KINDS);
  if (!isStrong(REQUEST, request.publicKey, "P256, P384, or P521", errors)) return;
  if (problemOf(() => verifyRequest(request)) !== undefined) errors.invalid(REQUEST, text, "invalid signature");
}

function readRequest(bytes: Uint8Array<ArrayBuffer>): CertificateRequest | undefined {
  return attempt(() => readRequestBytes(bytes));
}

function validateProven({ podUID, pkixPublicKey = "", proofOfPossession = "" }: Spec, errors: FieldErrors): void {
  const [bytes, proof] = [decodeBase64(pkixPublicKey), decodeBase64(proofOfPossession)];
  if (bytes.length > MOST_BYTES) return errors.tooLong(KEY, MOST_BYTES);
  if (proof.length > MOST_BYTES) return errors.tooLong(PROOF, MOST_BYTES);
  const key = readKey(bytes);
  if (!key) return errors.invalid(KEY, pkixPublicKey, "must be a valid PKIX-serialized public key");
  if (key.type === "other") return errors.invalid(KEY, pkixPublicKey, KINDS);
  if (!isStrong(KEY, key, "P256 or P384", errors)) return;
  if (!isProofOfPossession(key, podUID, proof)) {
    errors.invalid(PROOF, proofOfPossession, "could not verify proof-of-possession signature");
  }
}

/** The key of a request, which was validated at creation. */
export function keyOf({ stubPKCS10Request: request, pkixPublicKey: key = "" }: Spec): PublicKey | undefined {
  return request ? readRequest(decodeBase64(request))?.publicKey : readKey(decodeBase64(key));
}

export function readKey(bytes: Uint8Array<ArrayBuffer>): PublicKey | undefined {
  return attempt(() => readPublicKey(bytes));
}

function isStrong(at: string, key: PublicKey, curves: string, errors: FieldErrors): boolean {
  if (key.type === "ec" && key.curve === "P-224") {
    errors.invalid(at, "curve P-224", `elliptic public keys must use curve ${curves}`);
    return false;
  }
  const bits = key.type === "rsa" ? key.modulus.length * 8 : undefined;
  if (bits === undefined || RSA_BITS.includes(bits)) return true;
  errors.invalid(at, `${bits}-bit modulus`, "RSA keys must have modulus size 3072 or 4096");
  return false;
}
