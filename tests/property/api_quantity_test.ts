import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { Quantity } from "../../src/api/mod.ts";

/** The model: a value is a whole number of nanos. Texts are chosen so that nothing is finer. */
const SUFFIX_IN_NANOS: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 10n ** 3n,
  m: 10n ** 6n,
  "": 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  e3: 10n ** 12n,
  "E-3": 10n ** 6n,
  Ki: 2n ** 10n * 10n ** 9n,
  Mi: 2n ** 20n * 10n ** 9n,
  Gi: 2n ** 30n * 10n ** 9n,
};

interface Case {
  readonly text: string;
  readonly nanos: bigint;
}

const quantity: fc.Arbitrary<Case> = fc.tuple(
  fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
  fc.constantFrom(...Object.keys(SUFFIX_IN_NANOS)),
).map(([digits, suffix]) => ({ text: `${digits}${suffix}`, nanos: digits * SUFFIX_IN_NANOS[suffix] }));

/** Away from zero. */
function ceilDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return quotient * by === value ? quotient : value < 0n ? quotient - 1n : quotient + 1n;
}

const nanosOf = (q: Quantity) => q.multiply(10n ** 9n).roundedUp();

Deno.test("Quantity: sums, differences and order are those of exact fractions", () => {
  fc.assert(fc.property(quantity, quantity, (a, b) => {
    const [left, right] = [Quantity.parse(a.text), Quantity.parse(b.text)];
    assertEquals(nanosOf(left.add(right)), a.nanos + b.nanos);
    assertEquals(nanosOf(left.sub(right)), a.nanos - b.nanos);
    assertEquals(left.compare(right), a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0);
  }));
});

Deno.test("Quantity: rounding is that of exact fractions, away from zero", () => {
  fc.assert(fc.property(quantity, ({ text, nanos }) => {
    assertEquals(Quantity.parse(text).roundedUp(), ceilDivide(nanos, 10n ** 9n));
    assertEquals(Quantity.parse(text).milliRoundedUp(), ceilDivide(nanos, 10n ** 6n));
  }));
});

Deno.test("Quantity: the canonical text has the same value, and is its own canonical text", () => {
  fc.assert(fc.property(quantity, quantity, (a, b) => {
    const sum = Quantity.parse(a.text).add(Quantity.parse(b.text));
    const again = Quantity.parse(sum.toString());
    assertEquals(nanosOf(again), a.nanos + b.nanos);
    // A binary quantity without a suffix reads back as a decimal one.
    if (again.format === sum.format) assertEquals(again.add(Quantity.ZERO).toString(), sum.toString());
  }));
});

const hostile = fc.tuple(
  fc.constantFrom("", "-"),
  fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String), fc.nat(5000).map((count) => `9.${"1".repeat(count)}`)),
  fc.oneof(
    fc.constantFrom("", "n", "Ki", "Ei", "E", "e2147483647", "e-2147483648"),
    fc.integer({ min: -20_000, max: 20_000 }).map((exponent) => `e${exponent}`),
  ),
).map(([sign, digits, suffix]) => Quantity.parse(sign + digits + suffix));

Deno.test("Quantity: operations work on no more than a few thousand digits, and agree about what is more", () => {
  fc.assert(fc.property(fc.array(hostile, { minLength: 2, maxLength: 6 }), ([first, ...others]) => {
    let sum = first;
    for (const each of others) {
      assertEquals(sum.sub(each).sign, sum.compare(each));
      assertEquals(each.compare(sum), -sum.compare(each) || 0);
      sum = sum.add(each).multiply(1000n);
      assert(sum.parts.unscaled.toString().length <= 2003, "a sum grows without bound");
      assert(sum.toString().length <= 6000, "a text grows without bound");
      assertEquals(Quantity.parse(sum.toString()).sign, sum.sign);
      sum.milliInt64();
      sum.roundedUp();
      sum.roundUp(-3).toNumber();
    }
  }));
});
