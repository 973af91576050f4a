import { assertEquals, assertThrows } from "@std/assert";
import fc from "../../../../fast_check.ts";
import { compilePattern } from "../../../../../src/sandbox/apiserver/custom/patterns.ts";
import { PatternError } from "../../../../../src/sandbox/apiserver/custom/pattern_error.ts";

/** Pattern, texts that it matches, texts that it does not; what Go says. */
const MATCHES: ReadonlyArray<readonly [pattern: string, yes: readonly string[], no: readonly string[]]> = [
  ["^[a-z]+$", ["abc"], ["", "aB", "abc\n"]],
  ["(?i)^abc$", ["ABC", "abc"], ["abd"]],
  ["^a(?i)b|c$", ["ab", "aB", "C"], ["Ab"]],
  ["^(?i:a)b$", ["Ab"], ["AB"]],
  ["^a.c$", ["abc", "a\rc"], ["a\nc"]],
  ["(?s)^a.c$", ["a\nc"], []],
  ["(?m)^b$", ["a\nb\nc"], ["ab"]],
  ["\\Ab\\z", ["b"], ["a\nb", "b\n"]],
  ["^[[:alpha:]_-]+$", ["aB_-"], ["a1"]],
  ["^[^[:space:]]+$", ["ab"], ["a b"]],
  ["^[[:^digit:]]$", ["a"], ["1"]],
  ["^[\\d-]+$", ["1-2"], ["a"]],
  ["^\\s$", [" ", "\t"], ["\v", "\u00a0"]],
  ["^\\pL\\p{Greek}$", ["aα"], ["1α", "aa"]],
  ["^(?P<x>a)(?<y>b)$", ["ab"], ["a"]],
  ["^\\Qa.b\\E$", ["a.b"], ["axb"]],
  ["^\\x41\\x{1F600}\\101$", ["A😀A"], []],
  ["^{a}$", ["{a}"], []],
  ["^[]a]+$", ["]a"], ["b"]],
  ["^a{2,3}?$", ["aa", "aaa"], ["a", "aaaa"]],
  ["^([0-9]+[.])?[0-9]+(Ki|Mi|Gi)$", ["1.5Gi", "2Ki"], ["1.Gi"]],
  ["^😀?$", ["", "😀"], ["\ud83d"]],
  ["^(a|bc|)*d$", ["d", "abcad"], ["abd", "b"]],
  ["b", ["abc"], ["ac"]],
  ["\\bfoo\\b", ["a foo b", "foo"], ["food"]],
  ["^\\Boo", [], ["oo"]],
  ["^a{0}b{2,}$", ["bb", "bbb"], ["abb", "b"]],
  ["(?m)a$", ["a\nb"], ["ab"]],
];

for (const [pattern, yes, no] of MATCHES) {
  Deno.test(`compilePattern matches what Go matches: ${pattern}`, () => {
    const expression = compilePattern(pattern);
    assertEquals(yes.filter((text) => !expression.test(text)), []);
    assertEquals(no.filter((text) => expression.test(text)), []);
  });
}

/** Pattern and why it is refused, as by Go's compiler. */
const REFUSED: ReadonlyArray<readonly [pattern: string, why: string]> = [
  ["(a", "missing closing )"],
  ["a)", "unexpected )"],
  ["[a", "missing closing ]"],
  ["[z-a]", "invalid character class range"],
  ["[a-\\d]", "invalid character class range"],
  ["[[:foo:]]", "invalid character class range"],
  ["\\p{Foo}", "invalid character class range"],
  ["*a", "missing argument to repetition operator"],
  ["a|*", "missing argument to repetition operator"],
  ["a**", "invalid nested repetition operator"],
  ["a++", "invalid nested repetition operator"],
  ["a{2,1}", "invalid repeat count"],
  ["a{1001}", "invalid repeat count"],
  ["a(?=b)", "invalid or unsupported Perl syntax"],
  ["(?<!a)", "invalid or unsupported Perl syntax"],
  ["(?x)a", "invalid or unsupported Perl syntax"],
  ["\\Z", "invalid escape sequence"],
  ["\\1", "invalid escape sequence"],
  ["(a{100}){200}", "expression too large"],
  ["a\\", "trailing backslash"],
];

for (const [pattern, why] of REFUSED) {
  Deno.test(`compilePattern refuses what Go refuses: ${pattern}`, () => {
    assertThrows(() => compilePattern(pattern), PatternError, `error parsing regexp: ${why}: `);
  });
}

Deno.test("compilePattern: the time for a text grows with its length alone, where backtracking would not end", () => {
  const text = "a".repeat(20_000) + "!";
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "^(a|aa)+$"]) {
    assertEquals(compilePattern(pattern).test(text), false);
  }
});

Deno.test("compilePattern refuses groups that nest deeper than Go takes them", () => {
  const nested = (depth: number) => "(".repeat(depth) + ")".repeat(depth);
  assertEquals(compilePattern(nested(1000)).test(""), true);
  assertThrows(() => compilePattern(nested(1001)), PatternError, "expression nests too deeply");
});

Deno.test("compilePattern matches what JavaScript's own engine matches", () => {
  const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
    pattern: fc.array(tie("item"), { maxLength: 4 }).map((items) => items.join("")),
    item: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "^", "$", "a?", "b*", "[ab]+", "a{1,2}", "b{2}"),
      fc.tuple(tie("pattern"), tie("pattern"), fc.constantFrom("", "*", "+", "?", "{0,2}"))
        .map(([left, right, repeat]) => `(${left}|${right})${repeat}`),
    ),
  }));
  fc.assert(fc.property(pattern, fc.stringMatching(/^[abc]{0,8}$/), (source, text) => {
    assertEquals(compilePattern(source).test(text), new RegExp(source, "su").test(text));
  }));
});
