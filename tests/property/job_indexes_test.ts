import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { Indexes } from "../../src/controllers/job/indexes.ts";

const COMPLETIONS = 40;
const sets = fc.uniqueArray(fc.nat(COMPLETIONS - 1));
const sorted = (indexes: Iterable<number>) => [...new Set(indexes)].sort((a, b) => a - b);
const members = (indexes: Indexes) => Array.from({ length: COMPLETIONS }, (_, i) => i).filter((i) => indexes.has(i));

/** The canonical text, said in another way: split into runs, and print each. */
function textOf(indexes: readonly number[]): string {
  const runs: number[][] = [];
  for (const index of indexes) {
    if (runs.at(-1)?.at(-1) === index - 1) runs.at(-1)!.push(index);
    else runs.push([index]);
  }
  return runs.map((run) => run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(",")).join(",");
}

Deno.test("Indexes: the text is sorted; a run of two is a,b, a longer one a-c", () => {
  fc.assert(fc.property(sets, (indexes) => {
    assertEquals(String(Indexes.NONE.with(indexes)), textOf(sorted(indexes)));
  }));
});

Deno.test("Indexes: reading gives back what was written, cut at the number of completions", () => {
  fc.assert(fc.property(sets, fc.nat(COMPLETIONS), (indexes, completions) => {
    const text = textOf(sorted(indexes));
    const below = sorted(indexes).filter((index) => index < completions);
    const read = Indexes.parse(text, completions);
    assertEquals([String(read), read.size], [textOf(below), below.length]);
  }));
});

Deno.test("Indexes: a set never changes, and holds exactly what was put into it", () => {
  fc.assert(fc.property(sets, sets, (a, b) => {
    const first = Indexes.NONE.with(a);
    const second = Indexes.NONE.with(b);
    assertEquals(members(first.with(b)), sorted([...a, ...b]));
    assertEquals(members(first.union(second)), sorted([...a, ...b]));
    assertEquals(first.overlap(second), a.filter((index) => b.includes(index)).length);
    assertEquals([members(first), members(second)], [sorted(a), sorted(b)]);
  }));
});

Deno.test("Indexes: the first missing ones are the lowest below the number of completions that are not in it", () => {
  fc.assert(fc.property(sets, fc.nat(COMPLETIONS), fc.nat(50), (indexes, completions, count) => {
    const missing = Array.from({ length: completions }, (_, i) => i).filter((i) => !indexes.includes(i));
    assertEquals(Indexes.NONE.with(indexes).firstMissing(count, completions), missing.slice(0, count));
  }));
});
