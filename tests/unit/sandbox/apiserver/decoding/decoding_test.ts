import { assertEquals, assertThrows } from "@std/assert";
import { base64Error } from "../../../../../src/sandbox/apiserver/base/base64.ts";
import { readAsGo } from "../../../../../src/sandbox/apiserver/decoding/go_reader.ts";
import { jsonSyntaxError } from "../../../../../src/sandbox/apiserver/decoding/json_syntax.ts";
import {
  countMembers,
  jsonShape,
  parseTree,
  repeatedKeys,
} from "../../../../../src/sandbox/apiserver/decoding/json_tree.ts";
import { readYaml, YamlError } from "../../../../../src/sandbox/apiserver/decoding/yaml.ts";
import { yamlText } from "../../../../../src/sandbox/apiserver/decoding/yaml_text.ts";
import { structOf } from "../../../../../src/sandbox/apiserver/schema/types.ts";

const SYNTAX: ReadonlyArray<readonly [text: string, error: string | undefined]> = [
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a":"unfinished', "unexpected end of JSON input"],
  ["{a}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['{"a":[1 2]}', "invalid character '2' after array element"],
  ["{} x", "invalid character 'x' after top-level value"],
  ["hello", "invalid character 'h' looking for beginning of value"],
  ['{"a":nul}', "invalid character '}' in literal null (expecting 'l')"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":1ex}', "invalid character 'x' in exponent of numeric literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u12G4"}', "invalid character 'G' in \\u hexadecimal character escape"],
  ['{"a":"b\n"}', "invalid character '\\n' in string literal"],
  ['{"a":[1,{"b":null}]}', undefined],
];
for (const [text, error] of SYNTAX) {
  Deno.test(`jsonSyntaxError of ${JSON.stringify(text)} is in Go's words`, () => {
    assertEquals(jsonSyntaxError(new TextEncoder().encode(text)), error);
  });
}

const MISFITS: ReadonlyArray<readonly [what: string, type: string, value: unknown, error: string]> = [
  [
    "text for a number",
    "core.v1.Pod",
    { spec: { priority: "x" } },
    "cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32",
  ],
  [
    "a fraction",
    "core.v1.Pod",
    { spec: { priority: 1.5 } },
    "cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32",
  ],
  [
    "too large a number",
    "core.v1.Pod",
    { spec: { priority: 3e9 } },
    "cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32",
  ],
  [
    "a list for an object",
    "core.v1.Pod",
    { spec: [] },
    "cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec",
  ],
  [
    "an object for a list",
    "core.v1.Pod",
    { spec: { containers: {} } },
    "cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
  ],
  [
    "a text for an item",
    "core.v1.Pod",
    { spec: { containers: ["x"] } },
    "cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container",
  ],
  [
    "a number for a text",
    "core.v1.Pod",
    { metadata: { labels: { a: 1 } } },
    "cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
  ],
];
for (const [what, type, value, error] of MISFITS) {
  Deno.test(`readAsGo refuses ${what}`, () => {
    assertEquals(readAsGo(parseTree(JSON.stringify(value)), structOf(type)!).error, `json: ${error}`);
  });
}

Deno.test("readAsGo names unknown and repeated fields in the order of the text, with their places in lists", () => {
  const text = '{"a":1,"spec":{"containers":[{"name":"c"},{"name":"d","name":"e","x y":1}],"foo":{}},"spec":{}}';
  assertEquals(readAsGo(parseTree(text), structOf("core.v1.Pod")!), {
    error: undefined,
    strict: [
      'unknown field "a"',
      'duplicate field "spec.containers[1].name"',
      'unknown field "spec.containers[1].x y"',
      'unknown field "spec.foo"',
      'duplicate field "spec"',
    ],
  });
});

Deno.test("readAsGo finds what comes twice in objects of which nothing is known", () => {
  const { strict } = readAsGo(parseTree('{"a":{"b":1,"b":2},"c":[{"d":1,"d":2}]}'), undefined);
  assertEquals(strict, ['duplicate field "a.b"', 'duplicate field "c[0].d"']);
});

Deno.test("readAsGo stops counting after a hundred", () => {
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, 1]));
  assertEquals(readAsGo(parseTree(JSON.stringify(many)), structOf("core.v1.Pod")!).strict.length, 100);
});

const BYTES: ReadonlyArray<readonly [text: string, at: number | undefined]> = [
  ["", undefined],
  ["YQ==", undefined],
  ["YW\nJj", undefined],
  ["!!", 0],
  ["YQ", 0],
  ["YQ=", 3],
  ["Y===", 1],
  ["YQ==x", 4],
];
for (const [text, at] of BYTES) {
  Deno.test(`base64Error of ${JSON.stringify(text)} says where Go gives up`, () => {
    assertEquals(base64Error(text), at === undefined ? undefined : `illegal base64 data at input byte ${at}`);
  });
}

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
  ["a: [", "yaml: line 1: did not find expected node content"],
  ["a:\n\t- b", "yaml: line 2: found character that cannot start any token"],
  ["a: b: c", "yaml: mapping values are not allowed in this context"],
  ["a: *nowhere", "yaml: unknown anchor 'nowhere' referenced"],
  ["a: .nan", "json: unsupported value: NaN"],
];
for (const [text, error] of REFUSED) {
  Deno.test(`readYaml refuses ${JSON.stringify(text)} in Go's words`, () => {
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

const WORDS = "word ".repeat(18).trim();
const WRITTEN: ReadonlyArray<readonly [what: string, value: unknown, text: string]> = [
  ["sorted maps and lists that are not indented", { b: [{ c: 1, a: "x" }], a: {} }, "a: {}\nb:\n- a: x\n  c: 1\n"],
  [
    "quotes around what would be something else",
    ["1", "true", "n", "~", "1e3", "2020-01-01", "a"],
    '- "1"\n- "true"\n- "n"\n- "~"\n- "1e3"\n- "2020-01-01"\n- a\n',
  ],
  [
    "single quotes around what has a meaning",
    ["a: b", "#x", "- ", "it's: "],
    "- 'a: b'\n- '#x'\n- '- '\n- 'it''s: '\n",
  ],
  [
    "texts of several lines as such",
    { a: "x\ny\n", b: "x\ny", c: "x\n\n" },
    "a: |\n  x\n  y\nb: |-\n  x\n  y\nc: |+\n  x\n\n",
  ],
  ["keys with numbers by their value", { a10: 1, a9: 1, B: 1 }, "B: 1\na9: 1\na10: 1\n"],
  ["long lines broken", { k: WORDS }, `k: ${"word ".repeat(15).trim()} word\n  word word\n`],
];
for (const [what, value, text] of WRITTEN) {
  Deno.test(`yamlText writes ${what}`, () => assertEquals(yamlText(value), text));
}
