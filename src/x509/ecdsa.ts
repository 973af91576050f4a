import { bigIntOf, type Bytes, DerReader, TAG } from "./der_reader.ts";
import { type Curve, type CurveName, curveNamed, type Point } from "./curves.ts";

/** A point as (X/Z², Y/Z³); Z is 0 at infinity. */
type Jacobian = readonly [x: bigint, y: bigint, z: bigint];

const INFINITY: Jacobian = [1n, 1n, 0n];

/**
 * Whether an ECDSA signature is valid. WebCrypto supports neither P-224 nor digests much shorter than the curve, such
 * as `openssl req` uses with P-521 by default. Nothing in here is secret, so nothing runs in constant time.
 *
 * Upstream: `crypto/ecdsa` (VerifyASN1). FIPS 186-5, section 6.4.2.
 *
 * @param signature The sequence of r and s, in DER.
 */
export function isEcdsaSignature(
  { curve: name, point }: { readonly curve: CurveName; readonly point: Point },
  digest: Uint8Array,
  signature: Bytes,
): boolean {
  const curve = curveNamed(name);
  const { order, bits } = curve;
  const pair = readPair(signature);
  if (!pair || pair.some((part) => part === 0n || part >= order)) return false;
  const [r, s] = pair;
  const excess = digest.length * 8 - bits;
  const e = excess > 0 ? bigIntOf(digest) >> BigInt(excess) : bigIntOf(digest);
  const w = inverse(s, order);
  const [x, , z] = weightedSum(curve, { base: (e * w) % order, key: (r * w) % order, point });
  if (z === 0n) return false;
  return (x * inverse((z * z) % curve.p, curve.p)) % curve.p % order === r;
}

function readPair(signature: Bytes): readonly [bigint, bigint] | undefined {
  try {
    const whole = new DerReader(signature, "the signature");
    const pair = whole.inside(TAG.sequence);
    whole.end();
    const [r, s] = [bigIntOf(pair.natural()), bigIntOf(pair.natural())];
    pair.end();
    return [r, s];
  } catch {
    return undefined;
  }
}

/** `base` times the curve's base point plus `key` times `point`, both in one pass over their bits. */
function weightedSum(
  curve: Curve,
  { base, key, point }: { readonly base: bigint; readonly key: bigint; readonly point: Point },
): Jacobian {
  const one: Jacobian = [curve.base.x, curve.base.y, 1n];
  const other: Jacobian = [point.x, point.y, 1n];
  const terms = [undefined, one, other, add(curve, one, other)];
  const [first, second] = [base, key].map((factor) => factor.toString(2).padStart(curve.bits, "0"));
  let sum = INFINITY;
  for (let i = 0; i < curve.bits; i++) {
    sum = double(curve, sum);
    const term = terms[Number(first[i]) + 2 * Number(second[i])];
    if (term) sum = add(curve, sum, term);
  }
  return sum;
}

/** Formulas: dbl-2001-b, for a = -3. */
function double({ p }: Curve, [x, y, z]: Jacobian): Jacobian {
  if (z === 0n || y === 0n) return INFINITY;
  const delta = (z * z) % p;
  const gamma = (y * y) % p;
  const beta = (x * gamma) % p;
  const alpha = (3n * (x - delta) * (x + delta)) % p;
  const x3 = mod(alpha * alpha - 8n * beta, p);
  const z3 = mod((y + z) ** 2n - gamma - delta, p);
  return [x3, mod(alpha * (4n * beta - x3) - 8n * gamma * gamma, p), z3];
}

/** Formulas: add-1998-cmo-2. */
function add(curve: Curve, a: Jacobian, b: Jacobian): Jacobian {
  const { p } = curve;
  if (a[2] === 0n) return b;
  if (b[2] === 0n) return a;
  const [za2, zb2] = [(a[2] * a[2]) % p, (b[2] * b[2]) % p];
  const u = (a[0] * zb2) % p;
  const s = (a[1] * zb2 * b[2]) % p;
  const h = mod(b[0] * za2 - u, p);
  const r = mod(b[1] * za2 * a[2] - s, p);
  if (h === 0n) return r === 0n ? double(curve, a) : INFINITY;
  const h2 = (h * h) % p;
  const h3 = (h2 * h) % p;
  const v = (u * h2) % p;
  const x = mod(r * r - h3 - 2n * v, p);
  return [x, mod(r * (v - x) - s * h3, p), (h * a[2] * b[2]) % p];
}

function mod(value: bigint, p: bigint): bigint {
  const rest = value % p;
  return rest < 0n ? rest + p : rest;
}

/** The inverse of a non-zero value modulo a prime, by Euclid's algorithm. */
function inverse(value: bigint, prime: bigint): bigint {
  let [rest, divisor] = [prime, value % prime];
  let [before, factor] = [0n, 1n];
  while (divisor !== 0n) {
    const quotient = rest / divisor;
    [rest, divisor] = [divisor, rest - quotient * divisor];
    [before, factor] = [factor, before - quotient * factor];
  }
  return mod(before, prime);
}
