import { assertEquals } from "@std/assert";
import fc from "../../../fast_check.ts";
import { FreeAddresses } from "../../../../src/cloud/ippool/free_addresses.ts";

const RANGE = { family: "IPv4", first: 10n, last: 19n, text: "" } as const;

/** Plays takes and releases, and compares with looking at each address. */
function play(steps: readonly { readonly value: number; readonly takes: boolean }[]): void {
  const used = new Set<bigint>();
  const free = new FreeAddresses(RANGE, (value) => used.has(value));
  for (const { value, takes } of steps) {
    const address = BigInt(value);
    if (takes) {
      used.add(address);
    } else if (used.delete(address)) {
      free.released(address);
    }
    const lowest = Array.from({ length: 10 }, (_, i) => 10n + BigInt(i)).find((each) => !used.has(each));
    assertEquals(free.lowest, lowest);
  }
}

Deno.test("FreeAddresses: `lowest` is the lowest address of the range that is not used, whatever was taken and released", () => {
  const step = fc.record({ value: fc.integer({ min: 10, max: 19 }), takes: fc.boolean() });
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), play), { numRuns: 500 });
});

Deno.test("FreeAddresses: whoever releases an address says so (`released`); whoever takes one need not", () => {
  const takes = Array.from({ length: 10 }, (_, i) => ({ value: 10 + i, takes: true }));
  play([...takes, { value: 15, takes: false }, { value: 12, takes: false }, { value: 12, takes: true }, {
    value: 12,
    takes: false,
  }]);
});
