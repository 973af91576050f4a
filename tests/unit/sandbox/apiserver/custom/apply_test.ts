import { assertEquals } from "@std/assert";
import type { JSONSchemaProps } from "../../../../../src/api/mod.ts";
import { widgets } from "./definitions.ts";
import { appliedFields, misfits } from "../../../../../src/sandbox/apiserver/apply/applied_fields.ts";
import { compare } from "../../../../../src/sandbox/apiserver/apply/compare.ts";
import { mergeApplied } from "../../../../../src/sandbox/apiserver/apply/merge.ts";
import { CustomVersion } from "../../../../../src/sandbox/apiserver/custom/version.ts";

const text: JSONSchemaProps = { type: "string" };
const number: JSONSchemaProps = { type: "integer" };
const open = { "x-kubernetes-preserve-unknown-fields": true };

const PROPERTIES: Record<string, JSONSchemaProps> = {
  text,
  number,
  when: { type: "string", format: "date-time" },
  port: { "x-kubernetes-int-or-string": true },
  list: { type: "array", items: text },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  keyed: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name", "protocol"],
    items: { type: "object", properties: { name: text, protocol: { ...text, default: "UDP" }, to: number } },
  },
  plain: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["protocol"],
    items: { type: "object", properties: { protocol: text } },
  },
  map: { type: "object", additionalProperties: number },
  atomic: { type: "object", properties: { a: text }, "x-kubernetes-map-type": "atomic" },
  open: { type: "object", properties: { a: text, below: { type: "object", properties: { b: text } } }, ...open },
  closed: { type: "object", additionalProperties: false },
  anything: { type: "object" },
  template: {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { spec: { type: "object", ...open } },
  },
};

const definition = widgets(PROPERTIES);
const { shape } = new CustomVersion(definition, definition.spec.versions[0]);
const inSpec = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec });

/** A spec, and what keeps it from being applied, as kube-apiserver v1.36 says it. */
const MISFITS: ReadonlyArray<readonly [spec: object, said: readonly string[]]> = [
  [{ text: "a", number: 1, when: 5, port: "http", list: ["a"] }, []],
  [{ text: null, list: null, map: null }, []],
  [{ text: 5 }, [".spec.text: expected string, got a number"]],
  [{ text: [null] }, [
    ".spec.text: expected string, got a list",
  ]],
  [{ number: "5" }, [".spec.number: expected numeric (int or float), got a string"]],
  [{ when: [] }, [".spec.when: expected any scalar, got a list"]],
  [{ odd: 1 }, [".spec.odd: field not declared in schema"]],
  [{ open: { odd: { a: 1 }, below: { odd: 1 } } }, []],
  [{ open: { a: true } }, [".spec.open.a: expected string, got a boolean"]],
  [{ closed: { odd: 1 } }, [".spec.closed.odd: field not declared in schema"]],
  [{ anything: { odd: 1 } }, []],
  [{ map: { a: "b" } }, [".spec.map.a: expected numeric (int or float), got a string"]],
  [{ set: ["a", "a"] }, ['.spec.set: duplicate entries for key [="a"]']],
  [{ set: [["a"]] }, [".spec.set: element 0: an item of a set must be a scalar"]],
  [{ keyed: [{ name: "a" }, { name: "a", protocol: "UDP" }] }, [
    '.spec.keyed: duplicate entries for key [name="a",protocol="UDP"]',
  ]],
  [{ keyed: [{ to: 1 }] }, []],
  [{ plain: [{}] }, [
    ".spec.plain: element 0: an item must have one of the keys protocol",
  ]],
  [{ plain: ["a"] }, [".spec.plain: element 0: an item of a list with keys must be an object"]],
  [{ template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } }, spec: { odd: 1 } } }, []],
  [{ template: { metadata: { odd: 1 } } }, [".spec.template.metadata.odd: field not declared in schema"]],
];

for (const [spec, expected] of MISFITS) {
  Deno.test(`objectShape lets apply take what the schema declares: ${JSON.stringify(spec)}`, () => {
    assertEquals(misfits(inSpec(spec), shape), [...expected]);
  });
}

/** What an applier owns of a spec. */
const OWNED: ReadonlyArray<readonly [spec: object, fields: object]> = [
  [{ list: ["a"], set: ["a"], map: { a: 1 } }, {
    "f:list": {},
    "f:map": { "f:a": {} },
    "f:set": { 'v:"a"': {} },
  }],
  [{ keyed: [{ name: "a", to: 1 }] }, {
    "f:keyed": { 'k:{"name":"a","protocol":"UDP"}': { ".": {}, "f:name": {}, "f:to": {} } },
  }],
  [{ atomic: { a: "b" } }, { "f:atomic": {} }],
  [{ open: { odd: { a: 1, l: [1] } } }, { "f:open": { "f:odd": { ".": {}, "f:a": {}, "f:l": {} } } }],
];

for (const [spec, expected] of OWNED) {
  Deno.test(`objectShape says what an applier owns of ${JSON.stringify(spec)}`, () => {
    assertEquals(appliedFields({ spec }, shape), { "f:spec": expected });
  });
}

Deno.test("objectShape tells items apart by the defaults of their keys when lists merge", () => {
  const live = { spec: { keyed: [{ name: "a", protocol: "UDP", to: 1 }, { name: "b", protocol: "UDP" }] } };
  const wanted = { spec: { keyed: [{ name: "a", to: 2 }] } };
  assertEquals(mergeApplied(live, wanted, shape), {
    spec: { keyed: [{ name: "a", protocol: "UDP", to: 2 }, { name: "b", protocol: "UDP" }] },
  });
});

Deno.test("compare counts a map of which nothing is known as gone when a list replaces it", () => {
  const difference = compare({ spec: { open: { x: { y: 1 } } } }, { spec: { open: { x: [1] } } }, shape);
  assertEquals(difference, {
    changed: { "f:spec": { "f:open": { "f:x": {} } } },
    removed: { "f:spec": { "f:open": { "f:x": { ".": {}, "f:y": {} } } } },
  });
});
