import { assertEquals, assertThrows } from "@std/assert";
import { isBase64 } from "../../../../../src/sandbox/apiserver/base/base64.ts";
import { lookCloser } from "../../../../../src/sandbox/apiserver/decoding/closer_look.ts";
import {
  countMembers,
  jsonShape,
  parseTree,
  repeatedKeys,
} from "../../../../../src/sandbox/apiserver/decoding/json_tree.ts";
import { readYaml, YamlError, yamlText } from "../../../../../src/sandbox/apiserver/decoding/yaml.ts";
import { DecodeError, normalise } from "../../../../../src/sandbox/apiserver/schema/normalise.ts";
import { structOf } from "../../../../../src/sandbox/apiserver/schema/types.ts";

const MISFITS: ReadonlyArray<readonly [what: string, value: unknown, error: string]> = [
  ["text for a number", { spec: { priority: "x" } }, "spec.priority: must be an integer, not a string"],
  ["a fraction", { spec: { priority: 1.5 } }, "spec.priority: must be an integer of 32 bits, not 1.5"],
  ["too large a number", { spec: { priority: 3e9 } }, "spec.priority: must be an integer of 32 bits, not 3000000000"],
  ["a list for an object", { spec: [] }, "spec: must be an object, not a list"],
  ["an object for a list", { spec: { containers: {} } }, "spec.containers: must be a list, not an object"],
  ["a text for an item", { spec: { containers: ["x"] } }, "spec.containers[0]: must be an object, not a string"],
  ["a number for a text", { metadata: { labels: { a: 1 } } }, "metadata.labels.a: must be a string, not a number"],
];
for (const [what, value, error] of MISFITS) {
  Deno.test(`normalise refuses ${what}`, () => {
    assertThrows(() => normalise(value, structOf("core.v1.Pod")!), DecodeError, error);
  });
}

Deno.test("lookCloser finds integers that are not written as such", () => {
  const look = (text: string) => lookCloser(parseTree(text), structOf("core.v1.Pod")!).error;
  assertEquals(look('{"spec":{"priority":1.0}}'), "spec.priority: must be an integer, not 1.0");
  assertEquals(
    look('{"spec":{"containers":[{"ports":[{"containerPort":8e1}]}]}}')?.startsWith("spec.containers[0]"),
    true,
  );
  assertEquals(look('{"spec":{"priority":-1}}'), undefined);
});

Deno.test("lookCloser names unknown and repeated fields in the order of the text, with their places in lists", () => {
  const text = '{"a":1,"spec":{"containers":[{"name":"c"},{"name":"d","name":"e","x y":1}],"foo":{}},"spec":{}}';
  assertEquals(lookCloser(parseTree(text), structOf("core.v1.Pod")!).strict, [
    'unknown field "a"',
    'duplicate field "spec.containers[1].name"',
    'unknown field "spec.containers[1].x y"',
    'unknown field "spec.foo"',
    'duplicate field "spec"',
  ]);
});

Deno.test("lookCloser finds what comes twice in objects of which nothing is known", () => {
  const { strict } = lookCloser(parseTree('{"a":{"b":1,"b":2},"c":[{"d":1,"d":2}]}'), undefined);
  assertEquals(strict, ['duplicate field "a.b"', 'duplicate field "c[0].d"']);
});

Deno.test("lookCloser stops counting after a hundred", () => {
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, 1]));
  assertEquals(lookCloser(parseTree(JSON.stringify(many)), structOf("core.v1.Pod")!).strict.length, 100);
});

Deno.test("isBase64 takes padded texts, with line breaks", () => {
  assertEquals(["", "YQ==", "YW\nJj", "!!", "YQ", "YQ=", "Y===", "YQ==x"].map(isBase64), [
    ...[true, true, true],
    ...[false, false, false, false, false],
  ]);
});

Deno.test("jsonShape counts members and levels outside of texts", () => {
  const text = '{"a":{"b":"{:[\\"","a":[{}]},"a":1}';
  assertEquals(jsonShape(text), { members: 4, depth: 4 });
  assertEquals(countMembers(JSON.parse(text)), 1);
});

Deno.test("repeatedKeys gives each with its line", () => {
  const text = '{"a":1,\n "b":{"a":1,\n"a":2},\n"b":3}';
  assertEquals(repeatedKeys(text), [{ key: "a", line: 3 }, { key: "b", line: 4 }]);
});

const READ: ReadonlyArray<readonly [what: string, text: string, value: unknown]> = [
  ["booleans as YAML 1.1 has them", "a: yes\nb: 'no'\nc: [on, n]\n", { a: true, b: "no", c: [true, false] }],
  ["maps with sorted keys", "b: 1\na: 2\n", { a: 2, b: 1 }],
  ["the first document", "a: 1\n---\na: 2\n", { a: 1 }],
  ["texts of several lines", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", { a: "x\ny\n", b: "x y" }],
  ["JSON", '{"a": [1, "yes"]}', { a: [1, "yes"] }],
  ["nothing", "", null],
];
for (const [what, text, value] of READ) {
  Deno.test(`readYaml reads ${what}`, () => {
    const read = readYaml(text).value ?? null;
    assertEquals(JSON.stringify(read), JSON.stringify(value));
  });
}

const REFUSED: ReadonlyArray<readonly [text: string, error: string]> = [
  ["a: [", "unexpected end of the stream within a flow collection"],
  ["a:\n\t- b", "yaml: line 2 is indented by a tab"],
  ["a: b: c", "mapping"],
  ["a: *nowhere", 'unidentified alias "nowhere"'],
  ["a: .nan", "yaml: JSON has no number NaN"],
];
for (const [text, error] of REFUSED) {
  Deno.test(`readYaml refuses ${JSON.stringify(text)}`, () => {
    assertThrows(() => readYaml(text), YamlError, error);
  });
}

const TWICE: ReadonlyArray<readonly [what: string, text: string, duplicates: string[]]> = [
  ["block maps", "a: 1\nb:\n  c: 1\n  c: 2\na: 2\n", [
    'line 4: key "c" already set in map',
    'line 5: key "a" already set in map',
  ]],
  ["lists of maps", "- a: 1\n  a: 2\n- a: 1\n", ['line 2: key "a" already set in map']],
  ["JSON", '{"a":1,\n"a":2}', ['line 2: key "a" already set in map']],
  ["nothing but texts", 'a: |\n  b: 1\n  b: 2\n"b": x\n', []],
];
for (const [what, text, duplicates] of TWICE) {
  Deno.test(`readYaml finds keys that come twice in ${what}`, () =>
    assertEquals(readYaml(text).duplicates, duplicates));
}

const WRITTEN: ReadonlyArray<readonly [what: string, value: unknown, text: string]> = [
  ["sorted maps and lists that are not indented", { b: [{ c: 1, a: "x" }], a: {} }, "a: {}\nb:\n- a: x\n  c: 1\n"],
  [
    "quotes around what would be something else",
    ["1", "true", "n", "~", "1e3", "2020-01-01", "a"],
    "- '1'\n- 'true'\n- 'n'\n- '~'\n- '1e3'\n- '2020-01-01'\n- a\n",
  ],
  ["quotes around what has a meaning", ["a: b", "#x", "- ", "it's: "], "- 'a: b'\n- '#x'\n- '- '\n- 'it''s: '\n"],
  ["texts of several lines as such", { a: "x\ny\n", b: "x\ny" }, "a: |\n  x\n  y\nb: |-\n  x\n  y\n"],
];
for (const [what, value, text] of WRITTEN) {
  Deno.test(`yamlText writes ${what}`, () => assertEquals(yamlText(JSON.stringify(value)), text));
}

Deno.test("yamlText leaves numbers whole that JavaScript cannot hold", () => {
  assertEquals(yamlText('{"a":9007199254740993}'), '{"a":9007199254740993}\n');
});
