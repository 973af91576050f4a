import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { deepCopy, deepEqual, parseJson, stringifyJson, writeJson } from "../../src/base/mod.ts";

/** Integers of any size as they are written, among other JSON; keys are plain, since they are written without escapes. */
const text = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.bigInt().map(String),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => JSON.stringify(number)),
    fc.constantFrom("true", "null", '"[{9007199254740993"', '"\\\\\\""', '""', "9007199254740993", "1e30"),
    fc.array(tie("value")).map((items) => `[${items.join(", ")}]`),
    fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "1", "__proto__"), tie("value")), { selector: ([key]) => key })
      .map((members) => `{${members.map(([key, value]) => `"${key}" : ${value}`).join(",")}}`),
  ),
})).value;

/** How a reviver keeps integers, which does so by recursion. */
function revived(text: string): unknown {
  return JSON.parse(
    text,
    ((_key: string, value: unknown, { source = "" }: { source?: string }) =>
      typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
        ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source)
        : value) as (this: unknown, key: string, value: unknown) => unknown,
  );
}

Deno.test("parseJson: it gives what a reviver would give", () => {
  fc.assert(fc.property(text, (text) => {
    assertEquals(JSON.stringify(parseJson(text)), JSON.stringify(revived(text)));
  }));
});

Deno.test("writeJson: it writes what JSON.stringify writes", () => {
  const form = { keys: Object.keys, text: JSON.stringify };
  fc.assert(fc.property(text, (text) => {
    const value = parseJson(text);
    assertEquals(writeJson(value, form), JSON.stringify(value));
  }));
});

Deno.test("deepCopy, deepEqual: a copy is equal, and another value is not", () => {
  fc.assert(fc.property(text, text, (one, other) => {
    const [value, another] = [parseJson(one), parseJson(other)];
    assertEquals(stringifyJson(deepCopy(value)), stringifyJson(value));
    assertEquals(deepEqual(deepCopy(value), value), true);
    const sorted = (value: unknown) =>
      writeJson(value, { keys: (object) => Object.keys(object).sort(), text: JSON.stringify });
    assertEquals(deepEqual(value, another), sorted(value) === sorted(another));
  }));
});
