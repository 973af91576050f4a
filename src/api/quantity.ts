import { LruMap, numberText } from "../base/mod.ts";
import type { QuantityValue } from "./generated_types.ts";
import { scaledInt64 } from "./quantity_int64.ts";
import {
  BINARY_SUFFIXES,
  DECIMAL_SUFFIXES,
  FINEST_EXPONENT,
  MAX_DIGITS,
  parseQuantityParts,
  type QuantityFormat,
  type QuantityParts,
  rescaleUp,
} from "./quantity_parse.ts";

/** Texts that were parsed lately: a cluster has few different amounts, each in very many places. */
const known = new LruMap<string, Quantity>(1000);
/** Tenants may write a megabyte into each amount. */
const LONGEST_KNOWN = 50;

/** An integer beyond 2^53 as `parseJson` keeps it. */
type RawNumber = Exclude<Parameters<typeof numberText>[0], number>;

/**
 * An exact amount of a resource, as `cpu: 250m` or `memory: 64Mi` state it.
 *
 * Contract:
 * 1. Arithmetic and comparison are exact; `1024Mi` equals `1Gi`, `1G` does not.
 * 2. Parts finer than 10^-9 are rounded up when a text is parsed.
 * 3. The text is the one that the API server would write for the same value and format.
 * 4. A sum has the format of its first operand, or of the second where the first is zero.
 * 5. No text that upstream takes for a quantity makes an operation throw, or work on more than a few thousand digits:
 *    what is a thousand digits below the first is rounded away from zero.
 *
 * Upstream: `k8s.io/apimachinery/pkg/api/resource`. Where upstream drops a suffix that it has no name for (it prints
 * 1000E as `1`), this prints the value with the largest suffix.
 *
 * @example
 * ```ts
 * import { Quantity } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * const request = Quantity.parse("1.5Gi");
 * assertEquals(request.toString(), "1536Mi");
 * assertEquals(request.add(Quantity.parse("512Mi")).compare(Quantity.parse("2Gi")), 0);
 * assertEquals(Quantity.parse("250m").roundedUp(), 1n);
 * ```
 */
export class Quantity {
  /** Zero, in decimal format. */
  static readonly ZERO: Quantity = Quantity.parse("0");

  readonly #parts: QuantityParts;
  #text: string;

  private constructor(parts: QuantityParts) {
    this.#parts = parts;
    this.#text = parts.text;
  }

  /**
   * A quantity from an object's field. White space around it is ignored; nothing at all is zero.
   *
   * @throws {QuantityError} If it is not a quantity.
   */
  static parse(value: QuantityValue | RawNumber | null | undefined): Quantity {
    if (value === null || value === undefined) return new Quantity({ ...parseQuantityParts("0"), text: "" });
    if (typeof value === "string") {
      let quantity = known.get(value);
      if (quantity) return quantity;
      quantity = new Quantity(parseQuantityParts(value.trim()));
      if (value.length <= LONGEST_KNOWN) known.set(value, quantity);
      return quantity;
    }
    // JavaScript writes 1e21 as "1e+21", which upstream would keep.
    return new Quantity(parseQuantityParts(numberText(value).replace("+", "")));
  }

  /** `unscaled` x 10^`exponent`, at least nano: `Quantity.of(1500n, -3)` is `1500m`. */
  static of(unscaled: bigint, exponent = 0, format: QuantityFormat = "DecimalSI"): Quantity {
    if (exponent < FINEST_EXPONENT) {
      unscaled = rescaleUp(unscaled, exponent, FINEST_EXPONENT);
      exponent = FINEST_EXPONENT;
    }
    while (unscaled >= TOO_LONG || unscaled <= -TOO_LONG) {
      unscaled = rescaleUp(unscaled, 0, MAX_DIGITS);
      exponent += MAX_DIGITS;
    }
    return new Quantity({ unscaled, exponent, format, isBig: false, text: "" });
  }

  get format(): QuantityFormat {
    return this.#parts.format;
  }

  /** How upstream represents the quantity; what a pod template hash is made from. */
  get parts(): QuantityParts {
    return this.#parts;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    const { unscaled } = this.#parts;
    return unscaled === 0n ? 0 : unscaled < 0n ? -1 : 1;
  }

  get isZero(): boolean {
    return this.#parts.unscaled === 0n;
  }

  /** -1, 0 or 1, by value alone. */
  compare(other: Quantity): number {
    const [left, right] = this.#aligned(other);
    return left === right ? 0 : left < right ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  add(other: Quantity): Quantity {
    const [left, right, exponent] = this.#aligned(other);
    return Quantity.of(left + right, exponent, this.isZero ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    const [left, right, exponent] = this.#aligned(other);
    return Quantity.of(left - right, exponent, this.isZero ? other.format : this.format);
  }

  /** This quantity `factor` times. */
  multiply(factor: bigint): Quantity {
    return Quantity.of(this.#parts.unscaled * factor, this.#parts.exponent, this.format);
  }

  negate(): Quantity {
    return this.multiply(-1n);
  }

  /** This quantity with nothing finer than 10^`exponent`, rounded away from zero. */
  roundUp(exponent: number): Quantity {
    if (this.#parts.exponent >= exponent) return this;
    return Quantity.of(this.#scaled(exponent), exponent, this.format);
  }

  /** The value as a whole number, rounded away from zero. Upstream: `Value`. */
  roundedUp(): bigint {
    return this.#scaled(0);
  }

  /** The value in thousandths, rounded away from zero. */
  milliRoundedUp(): bigint {
    return this.#scaled(-3);
  }

  /** The value in thousandths as 64 bits have it, which may be another one. Upstream: `MilliValue`. */
  milliInt64(): bigint {
    return scaledInt64(this.#parts, -3);
  }

  /** The nearest floating point number. */
  toNumber(): number {
    return Number(`${this.#parts.unscaled}e${this.#parts.exponent}`);
  }

  /** The canonical text: `1536Mi`, `250m`, `1`. */
  toString(): string {
    this.#text ||= canonicalText(this);
    return this.#text;
  }

  /** Writes the canonical text into JSON. */
  toJSON(): string {
    return this.toString();
  }

  #scaled(exponent: number): bigint {
    return rescaleUp(this.#parts.unscaled, this.#parts.exponent, exponent);
  }

  #aligned(other: Quantity): [left: bigint, right: bigint, exponent: number] {
    const [own, others] = [this.#parts.exponent, other.#parts.exponent];
    // Nothing is nothing at any scale; and beside a number that is far larger, anything is next to nothing.
    const exponent = this.isZero
      ? others
      : other.isZero
      ? own
      : Math.max(Math.min(own, others), Math.max(own, others) - FARTHEST);
    return [this.#scaled(exponent), other.#scaled(exponent), exponent];
  }
}

/** Sums are cut from here on. */
const TOO_LONG = 10n ** BigInt(2 * MAX_DIGITS);
/** Numbers whose exponents are farther apart than this have no digit in common. */
const FARTHEST = 3 * MAX_DIGITS;

const DECIMAL_BY_EXPONENT = new Map(Object.entries(DECIMAL_SUFFIXES).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_BY_EXPONENT = new Map(Object.entries(BINARY_SUFFIXES).map(([suffix, exponent]) => [exponent, suffix]));

/**
 * No precision is lost, no fraction is left, and the exponent is as large as possible. Below 1024, and with a fraction,
 * a binary quantity is written as a decimal one.
 */
function canonicalText(quantity: Quantity): string {
  if (quantity.isZero) return "0";
  const { unscaled, exponent, format } = quantity.parts;
  if (format !== "BinarySI" || exponent > MAX_DIGITS) return decimalText(unscaled, exponent, format);
  const whole = quantity.roundedUp();
  const isSmall = whole > -1024n && whole < 1024n || rescaleUp(whole, 0, exponent) !== unscaled && exponent < 0;
  return isSmall ? decimalText(unscaled, exponent, "DecimalSI") : binaryText(whole);
}

function decimalText(unscaled: bigint, exponent: number, format: QuantityFormat): string {
  const all = String(unscaled);
  const digits = all.replace(/(?<!0)0+$/, "");
  const largest = exponent + all.length - digits.length;
  const usual = largest - (largest % 3 + 3) % 3;
  const shown = (chosen: number) => digits + "0".repeat(largest - chosen);
  if (format === "DecimalExponent" || largest > MAX_DIGITS) return shown(usual) + (usual === 0 ? "" : `e${usual}`);
  const chosen = Math.min(usual, 18);
  return shown(chosen) + DECIMAL_BY_EXPONENT.get(chosen);
}

function binaryText(whole: bigint): string {
  let exponent = 0;
  while (whole % 1024n === 0n && exponent < 60) {
    whole /= 1024n;
    exponent += 10;
  }
  return `${whole}${BINARY_BY_EXPONENT.get(exponent) ?? ""}`;
}
