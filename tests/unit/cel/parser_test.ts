/** Reading expressions: what is none, and where. */
import { assertEquals } from "@std/assert";
import { parseExpression } from "../../../src/cel/mod.ts";
import { finish } from "./run.ts";

/** What is wrong, without the lines shown. */
const problems = (text: string) =>
  [...String(finish(parseExpression(text)).issues).matchAll(/^ERROR: <input>:(.*)$/gm)].map(([, problem]) => problem);

const WRONG: ReadonlyArray<readonly [text: string, problem: string]> = [
  [
    "1 +",
    "1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["a b", "1:3: Syntax error: mismatched input 'b' expecting <EOF>"],
  ["(a", "1:3: Syntax error: mismatched input '<EOF>' expecting ')'"],
  ["a.1", "1:2: Syntax error: mismatched input '.1' expecting <EOF>"],
  ["a ? b", "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["for", "1:1: reserved identifier: for"],
  ["a.`b`", "1:3: unsupported syntax: '`'"],
  ["9223372036854775808", "1:1: invalid int literal"],
  ["18446744073709551616u", "1:1: invalid uint literal"],
  ["1e999", "1:1: invalid double literal"],
  ["'\\ud800'", "1:1: invalid unicode code point"],
  ["b'\\u0041'", "1:1: unable to unescape string"],
  ["a.all(1, b)", "1:7: argument must be a simple name"],
  ["a.map(b.c, b)", "1:8: argument is not an identifier"],
  ["a.all(__result__, b)", "1:7: iteration variable overwrites accumulator variable"],
  ["a.all(b, b, c)", "1:10: duplicate variable name: b"],
  ["has(a)", "1:5: invalid argument to has() macro"],
  ["a.optMap(1, b)", "1:10: optMap() variable name must be a simple identifier"],
  ["1.sortBy(a, a)", "1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression"],
];

for (const [text, problem] of WRONG) {
  Deno.test(`parseExpression refuses ${text}`, () => assertEquals(problems(text), [problem]));
}

Deno.test("parseExpression: what no token begins with is told, and read over", () => {
  assertEquals(problems("a # b"), [
    "1:3: Syntax error: token recognition error at: '#'",
    "1:5: Syntax error: mismatched input 'b' expecting <EOF>",
  ]);
  assertEquals(problems("'a")[0], "1:1: Syntax error: token recognition error at: ''a'");
});

const RIGHT = [
  "-1 + -a - --b",
  "!!a && !b",
  "a ? b : c ? d : e",
  "[1, 2,] == [,]",
  "{'a': 1, ?b: c,}",
  "a.?b[?c].d",
  ".a.b(c)",
  "r'\\d' + \"\"\"a\n'b\"\"\" + '''c''' + b'\\377' + '\\x41\\u00e9\\101\\n'",
  "0x1f + 1u + .5 + 1e3 + 1.5E-3",
  "a in b // why\n && c",
  "T{a: 1, ?b: c}.d",
];

for (const text of RIGHT) Deno.test(`parseExpression reads ${text}`, () => assertEquals(problems(text), []));

Deno.test("parseExpression: an expression may be 100,000 characters long", () => {
  assertEquals(problems(`'${"é".repeat(99_998)}'`), []);
  const [problem] = problems(`'${"é".repeat(99_999)}'`);
  assertEquals(problem, "-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
});

Deno.test("parseExpression: rules are nested at most 250 deep", () => {
  const nested = (depth: number) => `${"(".repeat(depth)}1${")".repeat(depth)}`;
  const chained = (count: number) => `1${" + 1".repeat(count)}`;
  assertEquals(problems(nested(249)), []);
  assertEquals(problems(nested(250)), ["-1:0: expression recursion limit exceeded: 250"]);
  assertEquals(problems(chained(248)), []);
  assertEquals(problems(chained(249)), ["-1:0: expression recursion limit exceeded: 250"]);
  assertEquals(problems(`a${" && a".repeat(5_000)}`), []);
});
