/** No regular expression in the source takes more than linear time: texts come from strangers, tenants and servers that lie. */
import { assert, assertEquals } from "@std/assert";
import { type Attack, attacksOn } from "./adversarial_texts.ts";
import { Backtracking } from "./backtracking.ts";
import { type SourceExpression, sourceExpressions } from "./source_expressions.ts";

/** Run by developers, on upstream's sources. */
const GENERATORS = /\/(generate_\w+|extract_\w+|generate)\.ts$/;

/** `new RegExp(…)` of what comes from outside, and why that may be. */
const FROM_OUTSIDE: Readonly<Record<string, string>> = {
  "src/log/klog_vmodule.ts": "--vmodule, which the operator gives",
  "src/sandbox/apiserver/custom/patterns.ts": "one class of characters, matched against one character",
};

const BUDGET = 1e6;

/** The attack that takes more than linear time, if one does. */
function superlinear(expression: RegExp): Attack | undefined {
  const matcher = new Backtracking(expression);
  const steps = ({ prefix, pump, suffix }: Attack, length: number) =>
    matcher.steps(prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix, BUDGET);
  for (const attack of attacksOn(matcher)) {
    const [short, long] = [steps(attack, 50), steps(attack, 100)];
    if (long < BUDGET && long < 2.6 * short) continue;
    // Loops that end at a hundred rounds are done by here: each doubling costs twice, where it is not four times as much.
    const [a, b, c] = [300, 600, 1200].map((length) => steps(attack, length));
    if (c >= BUDGET || c - b > 3 * (b - a)) return attack;
  }
  return undefined;
}

const { literals, composed, constructions } = await sourceExpressions();
const place = ({ file, line }: SourceExpression) => `${file}:${line}`;

Deno.test("every regular expression in the source takes linear time", () => {
  const known = new Map<string, Attack | undefined>();
  const slow = [...literals, ...composed].filter(({ file }) => !GENERATORS.test(file)).flatMap((found) => {
    const text = String(found.expression);
    if (!known.has(text)) known.set(text, superlinear(found.expression));
    const attack = known.get(text);
    return attack ? [`${place(found)} ${text}: slow on ${JSON.stringify(attack)}`] : [];
  });
  assertEquals(slow, []);
  assert(literals.length > 300, "the source's expressions were found");
});

Deno.test("every expression that is composed is composed as its module loads, or says what it is made from", () => {
  const loaded = new Set(composed.map(place));
  const open = constructions.filter((at) => !loaded.has(at) && !GENERATORS.test(at.split(":")[0]))
    .map((at) => at.split(":")[0]);
  assertEquals([...new Set(open)].sort(), Object.keys(FROM_OUTSIDE).sort());
});

Deno.test("superlinear finds loops that share characters, starts that repeat, and loops in loops", () => {
  const slow = [/^\d*\d*x$/, /0+$/, /^(a+)+$/, /"(?:[^"\\]|\\.)*"/, /^(.*)\['(.*)'\]$/, /<a>[^]*<\/a>/];
  for (const expression of slow) assert(superlinear(expression), String(expression));
  const linear = [/^\d+x$/, /(?<!0)0+$/, /^(?:a+b)+$/, /^"(?:[^"\\]|\\.)*"/, /^[a-z]{1,63}$/, /<a>[^<]*<\/a>/];
  for (const expression of linear) assertEquals(superlinear(expression), undefined, String(expression));
});
