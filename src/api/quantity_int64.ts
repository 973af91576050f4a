import type { QuantityParts } from "./quantity_parse.ts";

/** By these powers of ten upstream multiplies at once, and lets the product wrap. */
const AT_ONCE: ReadonlySet<number> = new Set([0, 1, 2, 3, 6, 9]);

/**
 * A quantity as a multiple of 10^`exponent` in Go's `int64`, rounded up. What does not fit becomes what upstream makes
 * of it: nothing, or what 64 bits are left with.
 *
 * Upstream: `k8s.io/apimachinery/pkg/api/resource` (ScaledValue).
 */
export function scaledInt64({ unscaled, exponent: own, isBig }: QuantityParts, exponent: number): bigint {
  const by = own - exponent;
  const isSmall = !isBig && BigInt.asIntN(64, unscaled) === unscaled;
  // As many factors of ten leave nothing in 64 bits.
  if (by >= 64) return 0n;
  if (by >= 0) return isSmall ? multiplied(unscaled, by) : BigInt.asIntN(64, unscaled * 10n ** BigInt(by));
  const divisor = 10n ** BigInt(-by);
  // What is far below zero has wrapped before upstream divides it.
  const dividend = unscaled < 0n ? BigInt.asIntN(64, unscaled) : unscaled;
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return BigInt.asIntN(64, quotient);
  // Small quantities are rounded away from zero, big ones to the next number above.
  return isSmall && unscaled < 0n ? quotient - 1n : BigInt.asIntN(64, quotient + 1n);
}

function multiplied(value: bigint, by: number): bigint {
  const product = value * 10n ** BigInt(by);
  const wrapped = BigInt.asIntN(64, product);
  return wrapped === product || AT_ONCE.has(by) ? wrapped : 0n;
}
