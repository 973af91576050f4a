import { assertEquals } from "@std/assert";
import { type Schema, schemaType } from "../../../src/cel/mod.ts";
import { toIdentifier, toProperty } from "../../../src/cel/identifiers.ts";
import { type CelType, typeText } from "../../../src/cel/types.ts";

const string: Schema = { type: "string" };

function rootOf(schemas: Readonly<Record<string, Schema>>): CelType | undefined {
  return schemaType("root", (name) => schemas[name], "T1");
}

/** The type of a field in a field in a field. */
function at(type: CelType | undefined, ...path: readonly string[]): string | undefined {
  const found = path.reduce((outer, name) => outer?.field?.(name), type);
  return found && typeText(found);
}

Deno.test("schemaType: each kind of schema has its type, and what has none has no field", () => {
  const formats = ["byte", "duration", "date", "date-time", "email"];
  const properties: Record<string, Schema> = {
    ...Object.fromEntries(formats.map((format) => [format.replace("-", ""), { type: "string", format }])),
    int: { type: "integer" },
    double: { type: "number" },
    bool: { type: "boolean" },
    either: { "x-kubernetes-int-or-string": true },
    builtIn: { format: "int-or-string" },
    list: { type: "array", items: string },
    objects: { type: "array", items: { type: "object" } },
    map: { type: "object", additionalProperties: { type: "integer" } },
    maps: { type: "object", additionalProperties: { type: "object" } },
    open: { type: "object", additionalProperties: true },
    untyped: {},
    untypedItems: { type: "array", items: {} },
    untypedValues: { type: "object", additionalProperties: {} },
  };
  const type = rootOf({ root: { type: "object", properties } });
  const types = Object.fromEntries(Object.keys(properties).map((name) => [name, at(type, name)]));
  assertEquals(types, {
    byte: "bytes",
    duration: "duration",
    date: "timestamp",
    datetime: "timestamp",
    email: "string",
    int: "int",
    double: "double",
    bool: "bool",
    either: "dyn",
    builtIn: "dyn",
    list: "list(string)",
    objects: "list(T1.objects.@idx)",
    map: "map(string, int)",
    maps: "map(string, T1.maps.@elem)",
    open: "T1.open",
    untyped: undefined,
    untypedItems: undefined,
    untypedValues: undefined,
  });
  assertEquals(at(type, "constructor"), undefined);
});

Deno.test("schemaType: a root without a type is nothing; one with a type has what every object has", () => {
  assertEquals(rootOf({ root: {} }), undefined);
  assertEquals(rootOf({}), undefined);
  const type = rootOf({ root: { type: "object" } });
  assertEquals(at(type, "kind"), "string");
  assertEquals(at(type, "metadata", "generateName"), "string");
  assertEquals(at(type, "metadata", "labels"), undefined);
});

Deno.test("schemaType: a reference within itself is an object of which nothing is known", () => {
  const root: Schema = { type: "object", properties: { self: { allOf: [{ $ref: "root" }] }, one: { $ref: "one" } } };
  const one: Schema = { type: "object", properties: { name: string, two: { $ref: "two" } } };
  const two: Schema = { type: "object", properties: { one: { $ref: "one" }, name: string } };
  const type = rootOf({ root, one, two });
  assertEquals([at(type, "self"), at(type, "self", "one")], ["T1.self", undefined]);
  assertEquals([at(type, "one", "two", "name"), at(type, "one", "two", "one", "name")], ["string", undefined]);
});

Deno.test("schemaType: properties are found by the names that expressions have for them", () => {
  const names = ["a-b", "a.b", "a/b", "a__b", "namespace", "in", "_x", "é", "1a", "__proto__"];
  const expected = ["a__dash__b", "a__dot__b", "a__slash__b", "a__underscores__b", "__namespace__", "__in__", "_x"];
  assertEquals(names.map(toIdentifier), [...expected, undefined, undefined, "__underscores__proto__underscores__"]);
  const properties = Object.fromEntries(names.map((name) => [name, string]));
  assertEquals(expected.map((name) => toProperty(properties, name)), names.slice(0, 7));
  assertEquals([toProperty(properties, "a__b"), toProperty(properties, "toString")], [undefined, undefined]);
  const type = rootOf({ root: { type: "object", properties } });
  assertEquals([at(type, "namespace"), at(type, "__namespace__"), at(type, "x")], ["string", "string", undefined]);
});
