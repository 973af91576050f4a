import { assertEquals, assertNotStrictEquals, assertThrows } from "@std/assert";
import {
  deepCopy,
  deepEqual,
  isRawNumber,
  MAX_JSON_DEPTH,
  numberText,
  parseJson,
  stringifyJson,
} from "../../../src/base/mod.ts";

/** JSON nested `levels` deep around a number that JavaScript cannot hold, by lists and by objects in turns. */
function nested(levels: number, inside = "1234567890123456789012"): string {
  const pairs = Math.floor(levels / 2);
  return '{"a":['.repeat(pairs) + inside + "]}".repeat(pairs);
}

const DEPTHS = [100, 128, 130, 2500, 3600, 10_000, MAX_JSON_DEPTH];

Deno.test("parseJson keeps integers beyond 2^53 digit by digit, wherever they stand", () => {
  const texts = ["9223372036854775807", "-9223372036854775808", '{"a":[9007199254740993,{"b":18446744073709551615}]}'];
  for (const text of texts) assertEquals(JSON.stringify(parseJson(text)), text);
  for (let spaces = 0; spaces <= 32; spaces++) {
    const before = " ".repeat(spaces);
    for (const number of ["9007199254740993", "-9007199254740993", "123456789012345678901234567890123456789"]) {
      const text = `${before}["1234567890123456789",${before}${number}]`;
      assertEquals(JSON.stringify(parseJson(text)), `["1234567890123456789",${number}]`);
      assertEquals(JSON.stringify(parseJson(before + number)), number);
    }
  }
  assertEquals(parseJson(" [ 9007199254740991 ]"), [9007199254740991]);
});

Deno.test("parseJson gives plain numbers for all that fit", () => {
  const value = parseJson('{"n":[1,-2,9007199254740991,1234567890123456.5,1e300],"big":9007199254740993}');
  const { n, big } = value as { n: unknown[]; big: unknown };
  assertEquals(n, [1, -2, 9007199254740991, 1234567890123456.5, 1e300]);
  assertEquals([isRawNumber(big), isRawNumber(5), isRawNumber({ rawJSON: "5" })], [true, false, false]);
});

Deno.test("parseJson leaves digits in strings alone", () => {
  assertEquals(parseJson('{"a":"9223372036854775807: 9223372036854775807"}'), {
    a: "9223372036854775807: 9223372036854775807",
  });
});

Deno.test("parseJson throws a SyntaxError for what is not JSON", () => {
  for (const text of ["", "{", "9223372036854775807x"]) assertThrows(() => parseJson(text), SyntaxError);
});

Deno.test("numberText gives the digits of numbers of either kind", () => {
  assertEquals(numberText(5), "5");
  assertEquals(numberText(parseJson("9223372036854775807") as number), "9223372036854775807");
});

Deno.test("deepCopy shares nothing that can change", () => {
  const value = { a: [{ b: 1 }], c: null, d: parseJson("9223372036854775807") };
  const copy = deepCopy(value);
  assertEquals(JSON.stringify(copy), JSON.stringify(value));
  assertNotStrictEquals(copy.a[0], value.a[0]);
  copy.a[0].b = 2;
  assertEquals(value.a[0].b, 1);
});

Deno.test("deepCopy keeps a member called __proto__", () => {
  const text = '{"__proto__":"x","a":{"__proto__":{"b":1}}}';
  assertEquals(JSON.stringify(deepCopy(JSON.parse(text))), text);
});

Deno.test("deepEqual does not care for the order of keys, and takes undefined for absent", () => {
  assertEquals(deepEqual({ a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3, d: undefined }], a: 1 }), true);
  assertEquals(deepEqual({ a: undefined }, {}), true);
  assertEquals(deepEqual({}, { a: undefined }), true);
});

Deno.test("deepEqual tells null from absent, lists from objects, and different lengths", () => {
  const different: [unknown, unknown][] = [
    [{ a: null }, {}],
    [{}, { a: null }],
    [[], {}],
    [[1], [1, 2]],
    [{ a: 1 }, { a: "1" }],
    [null, {}],
    [undefined, null],
    [0, false],
  ];
  for (const [a, b] of different) assertEquals(deepEqual(a, b), false, JSON.stringify([a, b]));
});

Deno.test("deepEqual does not take inherited members for the object's own", () => {
  assertEquals(deepEqual({}, { constructor: "x" }), false);
  assertEquals(deepEqual({ toString: "x" }, {}), false);
  assertEquals(deepEqual(JSON.parse('{"__proto__":{}}'), {}), false);
});

Deno.test("deepEqual compares big integers by their digits", () => {
  const big = (text: string) => parseJson(`{"n":${text}}`);
  assertEquals(deepEqual(big("9223372036854775807"), big("9223372036854775807")), true);
  assertEquals(deepEqual(big("9223372036854775807"), big("9223372036854775806")), false);
  assertEquals(deepEqual(big("9223372036854775807"), { n: {} }), false);
});

Deno.test("parseJson and stringifyJson: a value of any depth survives with its integers", () => {
  for (const depth of DEPTHS) assertEquals(stringifyJson(parseJson(nested(depth))), nested(depth));
});

Deno.test("parseJson refuses a text that is nested deeper than any API server writes, before it is parsed", () => {
  const texts = [nested(MAX_JSON_DEPTH + 2), "[".repeat(2 ** 24), '{"a":"\\\\","b":' + "[".repeat(2 ** 18)];
  for (const text of texts) assertThrows(() => parseJson(text), RangeError, "nested deeper than 100000 levels");
  const wide = `[${"[],{},".repeat(MAX_JSON_DEPTH)}"${"[".repeat(2 ** 18)}\\""]`;
  assertEquals((parseJson(wide) as unknown[]).length, 2 * MAX_JSON_DEPTH + 1);
});

Deno.test("parseJson: of equal keys the last one holds, also where an earlier one had a big integer", () => {
  const read = (text: string) => JSON.stringify(parseJson(text));
  assertEquals(read('{"a":9007199254740993,"a":1}'), '{"a":1}');
  assertEquals(read('{"a":[9007199254740993],"a":{"0":1}}'), '{"a":{"0":1}}');
  assertEquals(read('{"a":1,"a":9007199254740993}'), '{"a":9007199254740993}');
  assertEquals(read('{"__proto__":{"a":9007199254740993}}'), '{"__proto__":{"a":9007199254740993}}');
  assertEquals(
    read('{"\\u0061":9007199254740993,"b\\\\":[0,-9007199254740993]}'),
    '{"a":9007199254740993,"b\\\\":[0,-9007199254740993]}',
  );
});

Deno.test("deepCopy copies a value of any depth", () => {
  for (const depth of DEPTHS) {
    const value = parseJson(nested(depth));
    const copy = deepCopy(value);
    assertEquals(stringifyJson(copy), nested(depth));
    assertEquals(deepEqual(copy, value), true);
  }
});

Deno.test("deepCopy replaces what is neither object nor array by what mapLeaf gives", () => {
  const big = parseJson('{"a":[9223372036854775808,"x"],"b":null}');
  assertEquals(deepCopy(big, (leaf) => isRawNumber(leaf) ? Number(leaf.rawJSON) : leaf), {
    a: [2 ** 63, "x"],
    b: null,
  });
});

Deno.test("deepEqual compares values of any depth", () => {
  for (const depth of DEPTHS) {
    const [a, b] = [parseJson(nested(depth)), parseJson(nested(depth))];
    assertEquals(deepEqual(a, b), true);
    assertEquals(deepEqual(a, parseJson(nested(depth, "1234567890123456789013"))), false);
    assertEquals(deepEqual(a, parseJson(nested(depth - 2))), false);
  }
});
