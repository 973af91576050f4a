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

/** No character fits two parts: tenants write these texts, of up to a megabyte. */
const PATTERN = /^([+-]?)(\d*)(?:(\.)(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;

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

/**
 * The API server keeps texts of a megabyte, and exponents of 32 bits. Upstream computes with all digits, for minutes;
 * here what is beyond these many is rounded away from zero.
 */
export const MAX_DIGITS = 1000;

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
  const [, sign, allDigits, point = "", fraction = "", suffixText = ""] = match;
  const negative = sign === "-";
  const digits = withoutLeadingZeros(allDigits);
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
  if (allDigits === "" && fraction === "") {
    throw new QuantityError("unable to parse numeric part of quantity");
  }
  return bigParts(whole, fraction, suffix, negative);
}

function interpretSuffix(text: string): Suffix {
  if (Object.hasOwn(DECIMAL_SUFFIXES, text)) return { format: "DecimalSI", exponent: DECIMAL_SUFFIXES[text] };
  if (Object.hasOwn(BINARY_SUFFIXES, text)) return { format: "BinarySI", exponent: BINARY_SUFFIXES[text] };
  const [, sign, digits] = /^[eE]([+-]?)(\d+)$/.exec(text) ?? [];
  // Longer ones fit no 64 bits, which is where upstream gives up.
  const exponent = digits && BigInt(`${withoutLeadingZeros(digits).slice(0, 20)}` || 0) * (sign === "-" ? -1n : 1n);
  if (typeof exponent !== "bigint" || BigInt.asIntN(64, exponent) !== exponent) {
    throw new QuantityError("unable to parse quantity's suffix");
  }
  return { format: "DecimalExponent", exponent: Number(BigInt.asIntN(32, exponent)) };
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+/, "");
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
  const scale = (exponent - fraction.length) | 0;
  if (shifted.length > MAX_INT64_DIGITS || scale < FINEST_EXPONENT) return undefined;
  const canonical = scale % 3 === 0 && !shifted.endsWith("000") && shifted[0] !== "0";
  return { unscaled: BigInt(shifted), exponent: scale, canonical };
}

function bigParts(whole: string, fraction: string, suffix: Suffix, negative: boolean): QuantityParts {
  let { format } = suffix;
  const [mantissa, dropped] = leadingDigits(withoutLeadingZeros(whole + fraction));
  let unscaled = mantissa;
  let exponent = dropped - fraction.length;
  if (format === "BinarySI") unscaled <<= BigInt(suffix.exponent);
  else exponent += suffix.exponent;
  if (unscaled !== 0n && exponent <= MAX_DIGITS) {
    unscaled = rescaleUp(unscaled, exponent, FINEST_EXPONENT);
    exponent = FINEST_EXPONENT;
  }
  const one = 10n ** BigInt(Math.max(0, -exponent));
  if (format === "BinarySI" && unscaled > MAX_INT64 * one) {
    unscaled = MAX_INT64;
    exponent = 0;
  } else if (format === "BinarySI" && unscaled > 0n && unscaled < one) format = "DecimalSI";
  return { unscaled: negative ? -unscaled : unscaled, exponent, format, isBig: true, text: "" };
}

/** The number that the first digits are, rounded up, and how many are left out. */
function leadingDigits(digits: string): [mantissa: bigint, dropped: number] {
  const dropped = Math.max(0, digits.length - MAX_DIGITS);
  if (dropped === 0) return [BigInt(digits), 0];
  const isExact = /^0*$/.test(digits.slice(MAX_DIGITS));
  return [BigInt(digits.slice(0, MAX_DIGITS)) + (isExact ? 0n : 1n), dropped];
}

/** More places than any number here has digits: what is moved by more is nothing beside the other, or everything. */
const MAX_PLACES = 4 * MAX_DIGITS;

/**
 * `unscaled` x 10^`from` as a multiple of 10^`to`; what does not fit is rounded away from zero. A number of over 4000
 * digits becomes another one of at least as many.
 */
export function rescaleUp(unscaled: bigint, from: number, to: number): bigint {
  if (from >= to) return unscaled * 10n ** BigInt(Math.min(from - to, MAX_PLACES));
  const divisor = 10n ** BigInt(Math.min(to - from, MAX_PLACES));
  const quotient = unscaled / divisor;
  if (quotient * divisor === unscaled) return quotient;
  return unscaled < 0n ? quotient - 1n : quotient + 1n;
}
