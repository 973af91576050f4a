import { assertEquals, assertThrows } from "@std/assert";
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
];

for (const [pattern, yes, no] of MATCHES) {
  Deno.test(`compilePattern matches what Go matches: ${pattern}`, () => {
    const expression = compilePattern(pattern);
    assertEquals(yes.filter((text) => !expression.test(text)), []);
    assertEquals(no.filter((text) => expression.test(text)), []);
  });
}

/** Pattern and what Go's compiler says about it. */
const REFUSED: ReadonlyArray<readonly [pattern: string, why: string]> = [
  ["(a", "missing closing ): `(a`"],
  ["a)", "unexpected ): `a)`"],
  ["[a", "missing closing ]: `[a`"],
  ["[z-a]", "invalid character class range: `z-a`"],
  ["[a-\\d]", "invalid escape sequence: `\\d`"],
  ["[[:foo:]]", "invalid character class range: `[:foo:]`"],
  ["\\p{Foo}", "invalid character class range: `\\p{Foo}`"],
  ["*a", "missing argument to repetition operator: `*`"],
  ["a|*", "missing argument to repetition operator: `*`"],
  ["a**", "invalid nested repetition operator: `**`"],
  ["a++", "invalid nested repetition operator: `++`"],
  ["a{2,1}", "invalid repeat count: `{2,1}`"],
  ["a{1001}", "invalid repeat count: `{1001}`"],
  ["a(?=b)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(?<!a)", "invalid named capture: `(?<!a)`"],
  ["(?x)a", "invalid or unsupported Perl syntax: `(?x`"],
  ["\\Z", "invalid escape sequence: `\\Z`"],
  ["\\1", "invalid escape sequence: `\\1`"],
  ["a\\", "trailing backslash at end of expression: ``"],
];

for (const [pattern, why] of REFUSED) {
  Deno.test(`compilePattern refuses what Go refuses: ${pattern}`, () => {
    const error = assertThrows(() => compilePattern(pattern), PatternError);
    assertEquals(error.message, `error parsing regexp: ${why}`);
  });
}
