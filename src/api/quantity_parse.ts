/** How a quantity is written: `100m`, `64Mi`, or `1e3`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/**
 * A parsed quantity: `unscaled` x 10^`exponent`.
 *
 * Upstream holds most quantities in 64 bits and the rest as big decimals; the two print alike, but differ in what a pod
 * template hash sees, so the kind is kept.
 */
export interface QuantityParts {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  readonly isBig: boolean;
  /** The text itself where upstream takes it for canonical without looking closer; else empty. */
  readonly text: string;
}

/** Says that a text is not a quantity. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const PATTERN = /^([+-]?)(0*)(\d*)(\.?)(\d*)([eEinumkKMGTP]*[-+]?\d*)$/;

/** Decimal exponent of each suffix. */
export const DECIMAL_SUFFIXES: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

/** Binary exponent of each suffix. */
export const BINARY_SUFFIXES: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Upstream computes in 64 bits as long as this many decimal digits are enough. */
const MAX_INT64_DIGITS = 18;
const MAX_INT64 = 2n ** 63n - 1n;

/** Finer parts than this are rounded up. */
export const FINEST_EXPONENT = -9;

/** Upstream has no such limit; without one `1e999999999` would be a number of a billion digits here. */
const LARGEST_EXPONENT = 1000;

interface Suffix {
  readonly format: QuantityFormat;
  /** Of 10, or of 2 in {@link Suffix.format} BinarySI. */
  readonly exponent: number;
}

/**
 * Parses a quantity as `k8s.io/apimachinery/pkg/api/resource` (ParseQuantity) does.
 *
 * @throws {QuantityError} If the text is not a quantity; the message is upstream's.
 */
export function parseQuantityParts(text: string): QuantityParts {
  const match = PATTERN.exec(text);
  if (text === "" || !match) {
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const [, sign, zeros, digits, point, fraction, suffixText] = match;
  const negative = sign === "-";
  const suffix = interpretSuffix(suffixText);
  const whole = digits === "" ? "0" : digits;
  const small = inInt64(whole, fraction, suffix);
  if (small) {
    // Of a text that is all zeros, upstream keeps only "0" itself.
    const onlyZeros = digits === "" && point === "" && suffixText === "";
    const keep = small.canonical && !(onlyZeros && text !== "0");
    return {
      unscaled: negative ? -small.unscaled : small.unscaled,
      exponent: small.exponent,
      format: suffix.format,
      isBig: false,
      text: keep || text === "0" ? text : "",
    };
  }
  if (zeros === "" && digits === "" && fraction === "") {
    throw new QuantityError("unable to parse numeric part of quantity");
  }
  return bigParts(whole, fraction, suffix, negative);
}

function interpretSuffix(text: string): Suffix {
  if (Object.hasOwn(DECIMAL_SUFFIXES, text)) return { format: "DecimalSI", exponent: DECIMAL_SUFFIXES[text] };
  if (Object.hasOwn(BINARY_SUFFIXES, text)) return { format: "BinarySI", exponent: BINARY_SUFFIXES[text] };
  if (!/^[eE][+-]?\d+$/.test(text)) throw new QuantityError("unable to parse quantity's suffix");
  const exponent = Number(text.slice(1));
  if (exponent > LARGEST_EXPONENT) throw new QuantityError(`quantity's exponent is over ${LARGEST_EXPONENT}`);
  return { format: "DecimalExponent", exponent: Math.max(exponent, -LARGEST_EXPONENT) };
}

interface SmallAmount {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly canonical: boolean;
}

/** Upstream's quick way, or `undefined` where it does not apply. */
function inInt64(whole: string, fraction: string, { format, exponent }: Suffix): SmallAmount | undefined {
  const shifted = whole + fraction;
  if (format === "BinarySI") {
    // The constants are upstream's estimate of how many digits the multiplication can add.
    if (fraction !== "" || 15 - whole.length - Math.trunc(exponent * 3 / 10) - 1 < 0) return undefined;
    const value = BigInt(whole);
    return { unscaled: value << BigInt(exponent), exponent: 0, canonical: (value & 7n) !== 0n };
  }
  const scale = exponent - fraction.length;
  if (shifted.length > MAX_INT64_DIGITS || scale < FINEST_EXPONENT) return undefined;
  const canonical = scale % 3 === 0 && !shifted.endsWith("000") && shifted[0] !== "0";
  return { unscaled: BigInt(shifted), exponent: scale, canonical };
}

function bigParts(whole: string, fraction: string, suffix: Suffix, negative: boolean): QuantityParts {
  let { format } = suffix;
  let unscaled = BigInt(whole + fraction);
  let exponent = -fraction.length;
  if (format === "BinarySI") unscaled <<= BigInt(suffix.exponent);
  else exponent += suffix.exponent;
  if (unscaled !== 0n) {
    unscaled = rescaleUp(unscaled, exponent, FINEST_EXPONENT);
    exponent = FINEST_EXPONENT;
  }
  const one = 10n ** BigInt(-exponent > 0 ? -exponent : 0);
  if (format === "BinarySI" && unscaled > MAX_INT64 * one) {
    unscaled = MAX_INT64;
    exponent = 0;
  } else if (format === "BinarySI" && unscaled > 0n && unscaled < one) format = "DecimalSI";
  return { unscaled: negative ? -unscaled : unscaled, exponent, format, isBig: true, text: "" };
}

/** `unscaled` x 10^`from` as a multiple of 10^`to`; what does not fit is rounded away from zero. */
export function rescaleUp(unscaled: bigint, from: number, to: number): bigint {
  if (from >= to) return unscaled * 10n ** BigInt(from - to);
  const divisor = 10n ** BigInt(to - from);
  const quotient = unscaled / divisor;
  if (quotient * divisor === unscaled) return quotient;
  return unscaled < 0n ? quotient - 1n : quotient + 1n;
}
