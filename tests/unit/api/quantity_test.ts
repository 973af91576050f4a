import { assertEquals, assertThrows } from "@std/assert";
import { parseJson } from "../../../src/base/mod.ts";
import { Quantity, QuantityError } from "../../../src/api/mod.ts";

Deno.test("Quantity: arithmetic and comparison are exact; 1024Mi equals 1Gi, 1G does not", () => {
  assertEquals(Quantity.parse("1024Mi").equals(Quantity.parse("1Gi")), true);
  assertEquals(Quantity.parse("1Gi").compare(Quantity.parse("1G")), 1);
  assertEquals(Quantity.parse("0.1").add(Quantity.parse("0.2")).equals(Quantity.parse("300m")), true);
  const huge = Quantity.parse("9223372036854775807");
  assertEquals(huge.add(Quantity.parse("1")).toString(), "9223372036854775808");
});

Deno.test("Quantity: parts finer than 10^-9 are rounded up when a text is parsed", () => {
  assertEquals(Quantity.parse("1.0000000001").toString(), "1000000001n");
  assertEquals(Quantity.of(1n, -12).toString(), "1n");
});

Deno.test("Quantity: the text is the one that the API server would write for the same value and format", () => {
  const texts = {
    "0.5": "500m",
    "1.5Gi": "1536Mi",
    "1024Ki": "1Mi",
    "1000m": "1",
    "0.5Ki": "512",
    "1e3": "1e3",
    "-0": "0",
  };
  for (const [given, expected] of Object.entries(texts)) assertEquals(Quantity.parse(given).toString(), expected);
});

Deno.test("Quantity: a sum has the format of its first operand, or of the second where the first is zero", () => {
  assertEquals(Quantity.parse("1Gi").add(Quantity.parse("1024M")).format, "BinarySI");
  assertEquals(Quantity.ZERO.add(Quantity.parse("1Gi")).toString(), "1Gi");
  assertEquals(Quantity.parse("1").sub(Quantity.parse("1Ki")).format, "DecimalSI");
});

Deno.test("Quantity prints a value beyond the largest suffix in full", () => {
  assertEquals(Quantity.parse("1000E").toString(), "1000E");
  assertEquals(Quantity.of(2n ** 70n, 0, "BinarySI").toString(), "1024Ei");
});

Deno.test("Quantity.parse takes numbers, white space and nothing at all", () => {
  assertEquals(Quantity.parse(2).toString(), "2");
  assertEquals(Quantity.parse(0.25).toString(), "250m");
  assertEquals(Quantity.parse(1e21).toString(), "1e21");
  assertEquals(Quantity.parse(parseJson(" 9223372036854775807") as number).toString(), "9223372036854775807");
  assertEquals(Quantity.parse(" 1Gi\n").toString(), "1Gi");
  assertEquals(Quantity.parse(undefined).isZero, true);
  assertEquals(Quantity.parse(null).toString(), "0");
});

Deno.test("Quantity.parse throws a QuantityError for what is not a quantity", () => {
  for (const text of ["", "1.5.5", "x", "1Kb", "1e", "--1", "1 Gi", "1e99999999999999999999", `1${"0".repeat(1e6)}x`]) {
    assertThrows(() => Quantity.parse(text), QuantityError);
  }
});

Deno.test("Quantity: no text that upstream takes for a quantity makes an operation throw", () => {
  // Printed by upstream's package: what it makes of the text, and of the text's value in 64 bits.
  const cases: [text: string, canonical: string, milli: bigint][] = [
    ["1e1000", "10e999", 0n],
    ["1e2000", "100e1998", 0n],
    ["-1e2000", "-100e1998", 0n],
    ["12345e2000", "1234500e1998", 0n],
    ["0.5e5000", "50e4998", 0n],
    ["1e4294967296", "1e4294967296", 1000n],
    ["0e2000", "0", 0n],
    ["1e-2000", "1e-9", 1n],
    ["1e-999999999", "1e-9", 1n],
  ];
  for (const [text, canonical, milli] of cases) {
    const quantity = Quantity.parse(text);
    assertEquals(quantity.toString(), canonical);
    assertEquals(quantity.milliInt64(), milli, text);
  }
  assertEquals(Quantity.parse("1e1000").add(Quantity.parse("1")).toString(), `1${"0".repeat(999)}1`);
  assertEquals(Quantity.parse("0e2147483647").add(Quantity.parse("1m")).toString(), "1m");
  assertEquals(Quantity.parse("1e2147483647").toString(), "10e2147483646");
  assertEquals(Quantity.parse("1e4294967299").add(Quantity.parse("1")).toString(), "1001");
});

Deno.test("Quantity: what is a thousand digits below the first is rounded away from zero", () => {
  const nines = "9".repeat(1e6);
  assertEquals(Quantity.parse(nines).toString(), "10e999999");
  assertEquals(Quantity.parse(`0.${"0".repeat(1e6)}1`).toString(), "1n");
  assertEquals(Quantity.parse(`${nines}Ki`).toString(), String(2n ** 63n - 1n));
  assertEquals(Quantity.parse("1e3000").add(Quantity.parse("1")).compare(Quantity.parse("1e3000")), 1);
  assertEquals(Quantity.parse("1").sub(Quantity.parse("1e2000000000")).sign, -1);
});

Deno.test("Quantity rounds away from zero", () => {
  assertEquals(Quantity.parse("1500m").roundedUp(), 2n);
  assertEquals(Quantity.parse("-1500m").roundedUp(), -2n);
  assertEquals(Quantity.parse("1500100u").milliRoundedUp(), 1501n);
  assertEquals(Quantity.parse("1500100u").roundUp(-3).toString(), "1501m");
  assertEquals(Quantity.parse("1k").roundUp(-3).toString(), "1k");
});

Deno.test("Quantity multiplies, negates, and tells its sign and nearest number", () => {
  assertEquals(Quantity.parse("100m").multiply(15n).toString(), "1500m");
  assertEquals(Quantity.parse("1Gi").negate().toString(), "-1Gi");
  assertEquals(["-1", "0", "1m"].map((text) => Quantity.parse(text).sign), [-1, 0, 1]);
  assertEquals(Quantity.parse("250m").toNumber(), 0.25);
  assertEquals(JSON.stringify({ cpu: Quantity.parse("0.5") }), '{"cpu":"500m"}');
});
