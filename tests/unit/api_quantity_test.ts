import { assertEquals, assertThrows } from "@std/assert";
import { parseJson } from "../../src/base/mod.ts";
import { Quantity, QuantityError } from "../../src/api/mod.ts";

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

Deno.test("Quantity.parse throws a QuantityError for what is not a quantity, and for an exponent that would fill memory", () => {
  for (const text of ["", "1.5.5", "x", "1Kb", "1e", "--1", "1 Gi"]) {
    assertThrows(() => Quantity.parse(text), QuantityError);
  }
  assertThrows(() => Quantity.parse("1e999999999"), QuantityError, "over 1000");
  assertEquals(Quantity.parse("1e-999999999").toString(), "1e-9");
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
