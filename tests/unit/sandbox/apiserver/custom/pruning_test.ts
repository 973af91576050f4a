import { assertEquals, assertStrictEquals } from "@std/assert";
import type { JSONSchemaProps } from "../../../../../src/api/mod.ts";
import { deepCopy } from "../../../../../src/base/mod.ts";
import { widgets } from "./definitions.ts";
import { applyDefaults, dropNulls } from "../../../../../src/sandbox/apiserver/custom/defaults.ts";
import { CustomVersion } from "../../../../../src/sandbox/apiserver/custom/version.ts";
import { prune } from "../../../../../src/sandbox/apiserver/custom/prune.ts";
import { structuralOf } from "../../../../../src/sandbox/apiserver/custom/structural.ts";
import { isSettled } from "../../../../../src/sandbox/apiserver/custom/settled.ts";

const text: JSONSchemaProps = { type: "string" };

/** The value, as an object's `spec`, after pruning, and what was pruned. */
function pruned(schema: JSONSchemaProps, spec: unknown): readonly [unknown, string[]] {
  const object = { apiVersion: "a/v1", kind: "A", metadata: { odd: 1 }, spec: deepCopy(spec) };
  const unknown: string[] = [];
  prune(object, structuralOf({ type: "object", properties: { spec: schema } }), "", unknown);
  assertEquals(object.metadata, { odd: 1 });
  return [object.spec, unknown];
}

/** What, of which schema, what is left, what was pruned. */
const PRUNED: ReadonlyArray<
  readonly [what: string, schema: JSONSchemaProps, spec: unknown, left: unknown, gone: string[]]
> = [
  [
    "removes unknown fields at any depth",
    {
      type: "object",
      properties: { a: text, list: { type: "array", items: { type: "object", properties: { b: text } } } },
    },
    { a: "", x: 1, list: [{ b: "", y: { z: 1 } }] },
    { a: "", list: [{ b: "" }] },
    ["spec.x", "spec.list[0].y"],
  ],
  ["removes every field of an object without properties", { type: "object" }, { x: 1 }, {}, ["spec.x"]],
  [
    "keeps what additionalProperties describes and prunes inside of it",
    { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
    { k: { a: "", x: 1 } },
    { k: { a: "" } },
    ["spec.k.x"],
  ],
  [
    "keeps scalars of additionalProperties true, and no fields of objects",
    {
      type: "object",
      additionalProperties: true,
    },
    { k: 1, o: { x: 1 } },
    { k: 1, o: {} },
    ["spec.o.x"],
  ],
  [
    "keeps unknown fields where they are preserved, and prunes known ones inside",
    {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: text } } },
    },
    { any: { thing: [1] }, known: { a: "", x: 1 } },
    { any: { thing: [1] }, known: { a: "" } },
    ["spec.known.x"],
  ],
  [
    "keeps the items of a list that preserves",
    { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "object", properties: { a: text } } },
    [{ a: "", x: 1 }],
    [{ a: "", x: 1 }],
    [],
  ],
  [
    "keeps apiVersion, kind and metadata of an embedded object",
    { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: text } },
    { apiVersion: "v1", kind: "A", metadata: { x: 1 }, spec: "", x: 1 },
    { apiVersion: "v1", kind: "A", metadata: { x: 1 }, spec: "" },
    ["spec.x"],
  ],
];

for (const [what, schema, spec, left, gone] of PRUNED) {
  Deno.test(`prune ${what}`, () => assertEquals(pruned(schema, spec), [left, gone]));
}

/** What, of which schema, and what becomes of the value when nulls are dropped and defaults given. */
const DEFAULTED: ReadonlyArray<readonly [what: string, schema: JSONSchemaProps, spec: unknown, after: unknown]> = [
  ["gives a missing field its default", { properties: { a: { type: "string", default: "x" } } }, {}, { a: "x" }],
  ["keeps what is there", { properties: { a: { type: "string", default: "x" } } }, { a: "" }, { a: "" }],
  ["replaces a null that may not be by the default", { properties: { a: { type: "string", default: "x" } } }, {
    a: null,
  }, {
    a: "x",
  }],
  ["keeps a null that may be", { properties: { a: { type: "string", default: "x", nullable: true } } }, { a: null }, {
    a: null,
  }],
  ["drops a null that may not be and has no default", { properties: { a: text } }, { a: null, b: null }, { b: null }],
  [
    "defaults inside of defaults",
    { properties: { a: { type: "object", default: {}, properties: { b: { type: "integer", default: 1 } } } } },
    {},
    { a: { b: 1 } },
  ],
  [
    "defaults inside of lists and maps",
    {
      properties: {
        l: { type: "array", items: { type: "object", properties: { b: { type: "integer", default: 1 } } } },
        m: {
          type: "object",
          additionalProperties: { type: "object", properties: { b: { type: "integer", default: 2 } } },
        },
      },
    },
    { l: [{}], m: { k: {} } },
    { l: [{ b: 1 }], m: { k: { b: 2 } } },
  ],
  [
    "gives no default to fields of an object that is missing",
    { properties: { a: { type: "object", properties: { b: { type: "integer", default: 1 } } } } },
    {},
    {},
  ],
  ["drops nulls of maps that may not be", { additionalProperties: text }, { k: null, l: "" }, { l: "" }],
];

for (const [what, schema, spec, after] of DEFAULTED) {
  Deno.test(`applyDefaults and dropNulls: ${what}`, () => {
    const structural = structuralOf({ type: "object", ...schema });
    const value = deepCopy(spec);
    assertEquals(isSettled(value, structural), JSON.stringify(spec) === JSON.stringify(after));
    dropNulls(value, structural);
    applyDefaults(value, structural);
    assertEquals(value, after);
  });
}

Deno.test("CustomVersion shows a stored object as it is where nothing differs, and a changed one where the schema has", () => {
  const before = widgets({ a: text, b: text });
  const after = widgets({ a: text, c: { type: "string", default: "new" } });
  const [first, second] = [before, after].map((one) => new CustomVersion(one, one.spec.versions[0]));
  const object = first.read({ metadata: { name: "w" }, spec: { a: "1", b: "2" } });
  assertStrictEquals(first.view(object), object);
  assertEquals(second.view(object).spec, { a: "1", c: "new" });
  assertStrictEquals(second.view(object), second.view(object));
  assertEquals(object.spec, { a: "1", b: "2" });
});

Deno.test("CustomVersion stores what the storage version knows", () => {
  const { spec: { versions: [v1], ...spec } } = widgets({ a: text });
  const v2 = { ...v1, name: "v2", storage: false, schema: widgets({ a: text, b: text }).spec.versions[0].schema };
  const version = new CustomVersion({ spec: { ...spec, versions: [v1, v2] } }, v2);
  const object = version.read({ metadata: { name: "w" }, spec: { a: "1", b: "2" } });
  assertEquals(object.spec, { a: "1", b: "2" });
  assertEquals(version.stored(object).spec, { a: "1" });
});
