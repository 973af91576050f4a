import { createHash } from "node:crypto";
import { concat } from "@std/bytes/concat";
import { bigIntOf, type Bytes } from "./der_reader.ts";
import { bytesOf } from "./der_writer.ts";

export type HashName = "sha1" | "sha256" | "sha384" | "sha512";

/** The prefixes that PKCS#1 v1.5 puts before a digest: RFC 8017, section 9.2. */
const PREFIXES: Readonly<Record<HashName, string>> = {
  sha1: "3021300906052b0e03021a05000414",
  sha256: "3031300d060960864801650304020105000420",
  sha384: "3041300d060960864801650304020205000430",
  sha512: "3051300d060960864801650304020305000440",
};

/** Larger keys would hold the thread. Upstream has no limit and spends as long on one request as it takes. */
const MOST_BITS = 16_384;

/** A key, and the signature and digest to verify with it. */
export interface RsaSignature {
  readonly key: { readonly modulus: Bytes; readonly exponent: Bytes };
  readonly hash: HashName;
  readonly digest: Uint8Array;
  readonly signature: Bytes;
}

/**
 * Verifies an RSA signature by PKCS#1 v1.5, or by PSS with a salt as long as the digest. The runtime's own verification
 * supports at most 4,096 bits.
 *
 * Upstream: `crypto/rsa` (VerifyPKCS1v15, VerifyPSS).
 *
 * @throws {Error} If it is invalid, or the key is unsafe.
 */
export function verifyRsa(scheme: "pkcs1" | "pss", { key, hash, digest, signature }: RsaSignature): void {
  const n = bigIntOf(key.modulus);
  const bits = key.modulus.length * 8 - Math.clz32(key.modulus[0]) + 24;
  const e = bigIntOf(key.exponent);
  checkKey({ n, bits, e });
  const size = key.modulus.length;
  const s = bigIntOf(signature);
  if (signature.length !== size || s >= n) throw failed();
  const message = bytesOf(power(s, e, n).toString(16).padStart(2 * size, "0"));
  const isGood = scheme === "pkcs1"
    ? isSame(message, padded(size, concat([bytesOf(PREFIXES[hash]), digest])))
    : isPss(message, { bits: bits - 1, hash, digest });
  if (!isGood) throw failed();
}

function checkKey({ n, bits, e }: { readonly n: bigint; readonly bits: number; readonly e: bigint }): void {
  if (bits < 1024) throw new Error(`crypto/rsa: ${bits}-bit keys are insecure`);
  if (bits > MOST_BITS) throw new Error(`crypto/rsa: keys of more than ${MOST_BITS} bits are not supported: ${bits}`);
  if (n % 2n === 0n) throw new Error("crypto/rsa: public modulus is even");
  if (e < 2n) throw new Error("crypto/rsa: public exponent too small or negative");
  if (e % 2n === 0n) throw new Error("crypto/rsa: public exponent is even");
  if (e > 0x7fffffffn) throw new Error("crypto/rsa: public exponent too large");
}

function failed(): Error {
  return new Error("crypto/rsa: verification error");
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === "1") result = (result * base) % modulus;
  }
  return result;
}

function padded(size: number, content: Uint8Array): Uint8Array {
  const message = new Uint8Array(size).fill(0xff);
  message.set([0, 1]);
  message[size - content.length - 1] = 0;
  message.set(content, size - content.length);
  return message;
}

/** RFC 8017, section 9.1.2. */
function isPss(
  whole: Bytes,
  { bits, hash, digest }: { readonly bits: number; readonly hash: HashName; readonly digest: Uint8Array },
): boolean {
  const size = Math.ceil(bits / 8);
  if (whole.length > size && whole[0] !== 0) return false;
  const message = whole.subarray(whole.length - size);
  const length = digest.length;
  if (size < 2 * length + 2 || message[size - 1] !== 0xbc) return false;
  const masked = message.subarray(0, size - length - 1);
  const seed = message.subarray(size - length - 1, size - 1);
  const unused = 8 * size - bits;
  if (unused > 0 && masked[0] >> (8 - unused) !== 0) return false;
  const block = maskOf(hash, seed, masked.length).map((byte, i) => byte ^ masked[i]);
  block[0] &= 0xff >> unused;
  const salt = block.subarray(block.length - length);
  const padding = block.subarray(0, block.length - length);
  if (padding.at(-1) !== 1 || padding.subarray(0, -1).some((byte) => byte !== 0)) return false;
  return isSame(seed, digestOf(hash, new Uint8Array(8), digest, salt));
}

/** MGF1: RFC 8017, appendix B.2.1. */
function maskOf(hash: HashName, seed: Uint8Array, length: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = 0, have = 0; have < length; i++) {
    const part = digestOf(hash, seed, new Uint8Array([i >> 24, i >> 16, i >> 8, i]));
    parts.push(part);
    have += part.length;
  }
  return concat(parts).subarray(0, length);
}

export function digestOf(hash: HashName, ...parts: readonly Uint8Array[]): Uint8Array {
  const sum = createHash(hash);
  for (const part of parts) sum.update(part);
  return new Uint8Array(sum.digest());
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
