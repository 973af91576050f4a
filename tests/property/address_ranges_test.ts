import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { cidrText, DividedRange, HeldBlocks, overlap, parseCidr } from "../../src/controllers/address_ranges/mod.ts";
import { lastAddress } from "../../src/controllers/address_ranges/cidr.ts";

const SIZE = 24;
const range = fc.tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1)).map(([a, b]) => ({
  first: Math.min(a, b),
  last: Math.max(a, b),
}));

Deno.test("HeldBlocks is a count for each block, whatever is held and released in whatever order", () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.boolean(), range, fc.nat(SIZE - 1))), (steps) => {
    const blocks = new HeldBlocks(SIZE);
    const counts = Array<number>(SIZE).fill(0);
    for (const [holds, { first, last }, from] of steps) {
      const own = counts.slice(first, last + 1);
      if (holds) {
        assertEquals(blocks.hold({ first, last }), own.filter((count) => count === 0).length);
        for (let i = first; i <= last; i++) counts[i]++;
      } else if (own.every((count) => count > 0)) {
        assertEquals(blocks.release({ first, last }), own.filter((count) => count === 1).length);
        for (let i = first; i <= last; i++) counts[i]--;
      }
      const order = counts.map((_, i) => (from + i) % SIZE);
      assertEquals(blocks.nextFree(from), order.find((i) => counts[i] === 0));
      assertEquals(blocks.held, counts.filter((count) => count > 0).length);
      assertEquals(blocks.runs, 1 + counts.filter((count, i) => i > 0 && count !== counts[i - 1]).length);
    }
  }));
});

const cidr4 = fc.tuple(fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }), fc.integer({ min: 0, max: 32 }))
  .map(([octets, prefix]) => `${octets.join(".")}/${prefix}`);
const cidr6 = fc.tuple(
  fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 }),
  fc.integer({ min: 0, max: 128 }),
).map(([groups, prefix]) => `${groups.map((group) => group.toString(16)).join(":")}/${prefix}`);
const cidr = fc.oneof(cidr4, cidr6).map(parseCidr);

Deno.test("parseCidr reads what cidrText prints", () => {
  fc.assert(fc.property(cidr, (cidr) => assertEquals(parseCidr(cidrText(cidr)), cidr)));
});

Deno.test("ranges that overlap hold one another, and have no smaller part in common", () => {
  fc.assert(fc.property(cidr, cidr, (a, b) => {
    const [large, small] = a.prefix <= b.prefix ? [a, b] : [b, a];
    const holds = a.family === b.family && large.base <= small.base && lastAddress(small) <= lastAddress(large);
    assertEquals([overlap(a, b), overlap(b, a)], [holds, holds]);
  }));
});

const division = fc.record({ whole: cidr, more: fc.nat(10), at: fc.nat() }).filter(({ whole, more }) =>
  whole.prefix + more <= (whole.family === 4 ? 32 : 128)
);

Deno.test("DividedRange: blocks follow one another without a gap, and each has itself and what is within as its only block", () => {
  fc.assert(fc.property(division, ({ whole, more, at }) => {
    const range = new DividedRange(whole, whole.prefix + more);
    const index = at % range.count;
    const block = range.block(index);
    assertEquals(range.blocksOf(block), { first: index, last: index });
    const last = { ...block, base: lastAddress(block), prefix: whole.family === 4 ? 32 : 128 };
    assertEquals(range.blocksOf(last), { first: index, last: index });
    if (index > 0) assertEquals(lastAddress(range.block(index - 1)) + 1n, block.base);
    assertEquals([range.block(0).base, lastAddress(range.block(range.count - 1))], [whole.base, lastAddress(whole)]);
  }));
});
