import { assertEquals, assertThrows } from "@std/assert";
import {
  EVERYTHING,
  NOTHING,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  selectorOf,
  selectorOfLabels,
} from "../../../src/api/mod.ts";

Deno.test("selectorOf matches nothing for an absent selector and everything for an empty one", () => {
  assertEquals(selectorOf(undefined), NOTHING);
  assertEquals(selectorOf(null), NOTHING);
  assertEquals(selectorOf({}), EVERYTHING);
  assertEquals(NOTHING.matches({ a: "b" }), false);
  assertEquals(NOTHING.isEmpty, false);
  assertEquals(EVERYTHING.matches(undefined), true);
  assertEquals(EVERYTHING.isEmpty, true);
});

Deno.test("selectorOf joins labels and expressions, which all must hold", () => {
  const selector = selectorOf({
    matchLabels: { app: "web" },
    matchExpressions: [{ key: "tier", operator: "NotIn", values: ["cache"] }, { key: "app", operator: "Exists" }],
  });
  assertEquals(selector.toString(), "app=web,app,tier notin (cache)");
  assertEquals(selector.matches({ app: "web" }), true);
  assertEquals(selector.matches({ app: "web", tier: "cache" }), false);
  assertEquals(selector.matches(undefined), false);
});

Deno.test("selectorOf throws a SelectorError for an operator that does not exist", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "toString" }] };
  assertThrows(() => selectorOf(selector), SelectorError, '"toString" is not a valid label selector operator');
});

Deno.test("selectorOfLabels matches objects that carry all of the labels", () => {
  const selector = selectorOfLabels({ b: "2", a: "1" });
  assertEquals(selector.toString(), "a=1,b=2");
  assertEquals(selector.matches({ a: "1", b: "2", c: "3" }), true);
  assertEquals(selector.matches({ a: "1" }), false);
  assertEquals(selectorOfLabels(undefined), EVERYTHING);
});

Deno.test("parseLabelSelector does not take inherited members for labels", () => {
  assertEquals(parseLabelSelector("constructor").matches({}), false);
  assertEquals(parseLabelSelector("!toString").matches({}), true);
});

Deno.test("parseLabelSelector compares 64-bit integers exactly with > and <", () => {
  const selector = parseLabelSelector("generation>9007199254740992");
  assertEquals(selector.matches({ generation: "9007199254740993" }), true);
  assertEquals(selector.matches({ generation: "9007199254740992" }), false);
  assertEquals(selector.matches({ generation: "x" }), false);
});

Deno.test("parseFieldSelector reads escaped commas, equals signs and backslashes, and writes them back", () => {
  const selector = parseFieldSelector("a=x\\,y\\=z\\\\");
  assertEquals(selector.requirements, [{ field: "a", operator: "=", value: "x,y=z\\" }]);
  assertEquals(selector.toString(), "a=x\\,y\\=z\\\\");
});

Deno.test("parseFieldSelector has no requirement for an empty text", () => {
  assertEquals(parseFieldSelector("").isEmpty, true);
  assertEquals(parseFieldSelector("").matches(() => "anything"), true);
});
