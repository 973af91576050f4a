import fc from "../fast_check.ts";
import { assertEquals } from "@std/assert";
import { SortedKeys } from "../../src/sandbox/storage/sorted_keys.ts";

const key = fc.oneof(fc.nat(3000).map((n) => n.toString(36)), fc.string({ maxLength: 4 }));
const step = fc.record({ removes: fc.boolean(), key });

/** In order by UTF-16 code unit, as `sort` has it. */
const sorted = (model: ReadonlySet<string>) => [...model].sort();

function check(keys: SortedKeys, model: ReadonlySet<string>, [from, end]: readonly [string, string]): void {
  const all = sorted(model);
  assertEquals(keys.size, model.size);
  assertEquals(keys.between("", undefined), all);
  assertEquals(keys.between(from, end), all.filter((known) => known >= from && known < end));
  assertEquals(keys.between(from, end, 3), all.filter((known) => known >= from && known < end).slice(0, 3));
  assertEquals(keys.before(from), all.filter((known) => known < from).length);
}

Deno.test("SortedKeys: the keys are in ascending order by UTF-16 code unit, each of them once", () => {
  const range = fc.tuple(key, key).map(([a, b]): [string, string] => a < b ? [a, b] : [b, a]);
  const growth = fc.array(key, { minLength: 0, maxLength: 2000, size: "max" });
  fc.assert(
    fc.property(growth, fc.array(step, { maxLength: 200 }), range, (first, steps, range) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const key of first) {
        keys.add(key);
        model.add(key);
      }
      check(keys, model, range);
      for (const { removes, key } of steps) {
        if (removes) keys.delete(key);
        else keys.add(key);
        if (removes) model.delete(key);
        else model.add(key);
      }
      check(keys, model, range);
      for (const key of first) keys.delete(key);
      for (const key of first) model.delete(key);
      check(keys, model, range);
    }),
    { numRuns: 60 },
  );
});

Deno.test("SortedKeys takes keys that come in order, forwards and backwards", () => {
  const numbers = Array.from({ length: 5000 }, (_, i) => String(i).padStart(5, "0"));
  for (const order of [numbers, numbers.toReversed()]) {
    const keys = new SortedKeys();
    for (const key of order) keys.add(key);
    assertEquals(keys.between("", undefined), numbers);
    assertEquals([keys.before("02500"), keys.before("99999")], [2500, 5000]);
    for (const key of order) keys.delete(key);
    assertEquals([keys.size, keys.between("", undefined)], [0, []]);
  }
});
