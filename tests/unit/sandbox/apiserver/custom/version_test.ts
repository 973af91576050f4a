import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import type { JSONSchemaProps } from "../../../../../src/api/mod.ts";
import { widgets } from "./definitions.ts";
import { CustomVersion } from "../../../../../src/sandbox/apiserver/custom/version.ts";
import { EmbeddedError } from "../../../../../src/sandbox/apiserver/custom/embedded.ts";
import { replicasAt } from "../../../../../src/sandbox/apiserver/custom/scale_paths.ts";
import { DecodeError } from "../../../../../src/sandbox/apiserver/schema/normalise.ts";
import { FieldErrors } from "../../../../../src/sandbox/apiserver/validation/field_errors.ts";

const text: JSONSchemaProps = { type: "string" };
const SCALE = {
  specReplicasPath: ".spec.size",
  statusReplicasPath: ".status.size",
  labelSelectorPath: ".status.selector",
};

const PROPERTIES: Record<string, JSONSchemaProps> = {
  size: { type: "integer", "x-kubernetes-preserve-unknown-fields": true },
  set: {
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
  keyed: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["id", "port"],
    items: { type: "object", properties: { id: text, port: { type: "integer", default: 80 } } },
  },
  map: { type: "object", additionalProperties: { type: "array", "x-kubernetes-list-type": "set", items: text } },
  object: {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  },
};

function version(more: object = {}): CustomVersion {
  const definition = widgets(PROPERTIES, more);
  return new CustomVersion(definition, definition.spec.versions[0]);
}

function said(spec: object, old?: object, more?: object): string[] {
  const one = version(more);
  const read = (value: object) => one.read({ metadata: { name: "w" }, spec: value });
  const errors = new FieldErrors();
  one.validate(read(spec), errors, old && read(old));
  return errors.causes.map(({ field, message }) => `${field}: ${message}`);
}

/** A spec, and what is said about it. */
const TABLE: ReadonlyArray<readonly [spec: object, said: readonly string[]]> = [
  [{ set: [{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1, b: 2 }] }, ['spec.set[1]: Duplicate value: {"a":1,"b":2}']],
  [{ map: { k: ["1", "1"] } }, ['spec.map[k][1]: Duplicate value: "1"']],
  [{ keyed: [{ id: "a" }, { id: "a", port: 81 }] }, []],
  [{ keyed: [{ id: "a" }, { id: "a", port: 80 }] }, ['spec.keyed[1]: Duplicate value: {"id":"a","port":80}']],
  [{ keyed: [{}, {}] }, ['spec.keyed[1]: Duplicate value: {"port":80}']],
  [{ keyed: [1] }, [
    'spec.keyed[0]: Invalid value: "integer": must be of type object',
    "spec.keyed[0]: Invalid value: 1: must be an object for an array of list-type map",
  ]],
  [{ object: {} }, ["spec.object.apiVersion: Required value", "spec.object.kind: Required value"]],
  [{ object: { apiVersion: "", kind: "" } }, [
    'spec.object.apiVersion: Invalid value: "": must not be empty',
    'spec.object.kind: Invalid value: "": must not be empty',
  ]],
  [{ object: { apiVersion: "a/b/c", kind: "A" } }, [
    'spec.object.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ]],
  [{ object: { apiVersion: "v1", kind: "Pod", metadata: { labels: {} }, spec: { any: 1 } } }, []],
];

for (const [spec, expected] of TABLE) {
  Deno.test(`CustomVersion judges ${JSON.stringify(spec)}`, () => assertEquals(said(spec), [...expected]));
}

Deno.test("CustomVersion: an error in the old object does not make an update invalid if the value has not changed", () => {
  const old = { map: { k: ["1", "1"] } };
  assertEquals(said({ map: { k: ["1", "1", "2"] } }, old), []);
  assertEquals(said({ map: { k: ["1", "1"] } }, { map: { k: ["1"] } }).length, 1);
  const text = 'spec.keyed[0].port: Invalid value: "string": must be of type integer';
  const wrong = { keyed: [{ id: "a", port: "http" }] };
  assertEquals(said(wrong), [text]);
  assertEquals(said({ ...wrong, map: {} }, wrong), []);
  assertEquals(said({ keyed: [{ id: "a", port: "https" }] }, wrong), [text], "wrong in another way");
});

Deno.test("CustomVersion: a schema is compiled once, however many objects are read, shown or checked", () => {
  const definition = widgets(PROPERTIES);
  const [served] = definition.spec.versions;
  let looks = 0;
  const schema = counting(served.schema!, () => looks++);
  const one = new CustomVersion(definition, { ...served, schema });
  const compiling = looks;
  assert(compiling > 10);
  for (let i = 0; i < 20; i++) {
    const object = one.read({ metadata: { name: `w${i}` }, spec: { keyed: [{ id: `${i}` }], odd: i } });
    one.view({ metadata: object.metadata, spec: { size: i, odd: i } });
    one.validate(object, new FieldErrors(), object);
  }
  assertEquals(looks, compiling);
});

Deno.test("CustomVersion: an object from read has no unknown fields and all defaults; reading it again changes nothing", () => {
  const one = version();
  const unknown: string[] = [];
  const body = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", odd: 1 },
    spec: { keyed: [{ id: "a", odd: true }], odd: { deep: 1 }, map: { any: ["x"] } },
    more: "odd",
  };
  const read = one.read(body, unknown);
  assertEquals(read, { metadata: { name: "w" }, spec: { keyed: [{ id: "a", port: 80 }], map: { any: ["x"] } } });
  assertEquals(unknown.toSorted(), ["metadata.odd", "more", "spec.keyed[0].odd", "spec.odd"]);
  const again: string[] = [];
  assertEquals(one.read(structuredClone(read), again), read);
  assertEquals(again, []);
});

Deno.test("CustomVersion: view shows a stored object in this version, and returns the object itself if nothing differs", () => {
  const one = version();
  const stored = { metadata: { name: "w" }, spec: { keyed: [{ id: "a" }], gone: "since the schema changed" } };
  const before = structuredClone(stored);
  const view = one.view(stored);
  assertEquals(view, { metadata: { name: "w" }, spec: { keyed: [{ id: "a", port: 80 }] } });
  assertEquals(stored, before, "what is stored stays as it is");
  assertStrictEquals(one.view(stored), view, "made once");
  const settled = { metadata: { name: "w" }, spec: { keyed: [{ id: "a", port: 81 }] } };
  assertStrictEquals(one.view(settled), settled);
});

/** A schema that calls `look` whenever a member of it, or of a schema in it, is asked for. */
function counting<T extends object>(value: T, look: () => void): T {
  return new Proxy(value, {
    get(target, name) {
      look();
      const member = Reflect.get(target, name);
      return typeof member === "object" && member !== null && !Array.isArray(member) ? counting(member, look) : member;
    },
    ownKeys(target) {
      look();
      return Reflect.ownKeys(target);
    },
  });
}

Deno.test("CustomVersion judges names of embedded objects as paths", () => {
  const object = (name: string) => ({ object: { apiVersion: "v1", kind: "Pod", metadata: { name } } });
  assertEquals(said(object("A_b")), []);
  assertEquals(said(object("a/b")), ["spec.object.metadata.name: Invalid value: \"a/b\": may not contain '/'"]);
});

Deno.test("CustomVersion reads the metadata of embedded objects as it reads that of whole ones", () => {
  const unknown: string[] = [];
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", odd: 1 }, spec: {} };
  const read = version().read({ metadata: { name: "w", odd: 1 }, spec: { object } }, unknown);
  assertEquals(read.spec, { object: { ...object, metadata: { name: "a" } } });
  assertEquals(unknown, ["metadata.odd", "spec.object.metadata.odd"]);
  const number = "metadata.labels.a: must be a string, not a number";
  const wrong = { labels: { a: 1 } };
  assertEquals(assertThrows(() => version().read({ metadata: wrong }), DecodeError).message, number);
  const embedded = () => version().read({ metadata: {}, spec: { object: { ...object, metadata: wrong } } });
  assertEquals(
    assertThrows(embedded, EmbeddedError).message,
    `spec.object.metadata: Invalid value: {"labels":{"a":1}}: spec.object.${number}`,
  );
});

Deno.test("replicasAt names the whole step at which something is no object", () => {
  const why = (object: object) => {
    const found = replicasAt(object, ".spec.size");
    return found.kind === "misfit" ? found.why : found.kind;
  };
  assertEquals(why({ spec: "x" }), ".spec.size must be an object, not a string");
  assertEquals(why({ spec: { size: { a: [null] } } }), ".spec.size must be an integer, not an object");
  assertEquals(why({ spec: null }), "absent");
});

/** What stands at the paths of scale, and what is said about it. */
const SCALED: ReadonlyArray<readonly [spec: object, said: readonly string[]]> = [
  [{}, []],
  [{ size: 3 }, []],
  [{ size: -1 }, [".spec.size: Invalid value: -1: should be a non-negative integer"]],
  [{ size: 2147483648 }, [".spec.size: Invalid value: 2147483648: should be less than or equal to 2147483647"]],
];

for (const [spec, expected] of SCALED) {
  Deno.test(`CustomVersion judges whether ${JSON.stringify(spec)} can be scaled`, () => {
    assertEquals(said(spec, undefined, { subresources: { scale: SCALE } }), [...expected]);
  });
}

Deno.test("CustomVersion says of a status what its schema finds, and what scale cannot show", () => {
  const definition = widgets(PROPERTIES, { subresources: { status: {}, scale: SCALE } });
  const schema = definition.spec.versions[0].schema!.openAPIV3Schema!;
  schema.properties!.status = { ...schema.properties!.status, type: "object", maxProperties: 2 };
  const one = new CustomVersion(definition, definition.spec.versions[0]);
  const old = one.read({ metadata: { name: "w" }, spec: {} });
  const saidOf = (status: unknown) => {
    const errors = new FieldErrors();
    one.validateStatus({ ...old, status }, old, errors);
    return errors.causes.map(({ field, message }) => `${field}: ${message}`);
  };
  assertEquals(saidOf({ a: 1, b: 2, c: 3 }), ["status: Too many: 3: must have at most 2 items"]);
  assertEquals(saidOf({ size: "1", selector: 5 }), [
    ".status.size: Invalid value: 0: .status.size must be an integer, not a string",
    '.status.selector: Invalid value: "": .status.selector must be a string, not a number',
  ]);
});
