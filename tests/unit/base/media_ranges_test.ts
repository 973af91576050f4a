import { assertEquals } from "@std/assert";
import { acceptsForm, mediaRanges } from "../../../src/base/mod.ts";

/** Accept headers, and their types in the order in which `munnerz/goautoneg` has them. */
const HEADERS: ReadonlyArray<readonly [accept: string, types: readonly string[]]> = [
  ["", []],
  ["application/json", ["application/json"]],
  ["Application/JSON", ["application/json"]],
  ["*", ["*/*"]],
  ["*/*,application/json", ["application/json", "*/*"]],
  ["text/html;q=0.5, application/json ;q=0.9,application/yaml", ["application/yaml", "application/json", "text/html"]],
  ["*/*;q=0.8,application/xml;q=0.9,text/html", ["text/html", "application/xml", "*/*"]],
  ["application/yaml;q=0,application/json;q=0.1", ["application/json", "application/yaml"]],
  ["application/yaml;q=much,application/json;q=0.1", ["application/json", "application/yaml"]],
  ["constructor,;;;,application/json,,", ["application/json"]],
];

for (const [accept, types] of HEADERS) {
  Deno.test(`mediaRanges reads ${JSON.stringify(accept)}`, () => {
    assertEquals(mediaRanges(accept).map(({ type }) => type), types);
  });
}

Deno.test("mediaRanges gives parameters, also those that look like parts of objects", () => {
  const [{ parameters }] = mediaRanges("application/json; as = Table ;q=0.5;v=v1;__proto__=x;pretty;;");
  assertEquals([...parameters], [["as", "Table"], ["v", "v1"], ["__proto__", "x"], ["pretty", ""], ["", ""]]);
});

Deno.test("acceptsForm wants the type and all parameters in one part of the header", () => {
  const form = "application/json;as=Table;v=v1";
  assertEquals(acceptsForm("text/html,application/json; v=v1;as=Table;g=x", form), true);
  for (
    const accept of ["", "*/*", "application/json;as=Table,application/json;v=v1", "application/yaml;as=Table;v=v1"]
  ) {
    assertEquals(acceptsForm(accept, form), false, accept);
  }
});
