import { assert, assertEquals, assertThrows } from "@std/assert";
import { HeldBlocks } from "../../../../src/controllers/address_ranges/mod.ts";

const one = (block: number) => ({ first: block, last: block });

Deno.test("HeldBlocks: a block is free when everybody who held it has released it", () => {
  const blocks = new HeldBlocks(4);
  blocks.hold(one(1));
  blocks.hold({ first: 0, last: 2 });
  blocks.release({ first: 0, last: 2 });
  assertEquals([blocks.held, blocks.nextFree(1)], [1, 2]);
  blocks.release(one(1));
  assertEquals([blocks.held, blocks.nextFree(1)], [0, 1]);
});

Deno.test("HeldBlocks: memory grows with the runs of blocks that equally many hold", () => {
  const blocks = new HeldBlocks(2 ** 24);
  blocks.hold({ first: 0, last: 2 ** 24 - 1 });
  assertEquals([blocks.held, blocks.runs], [2 ** 24, 1]);
  blocks.release({ first: 0, last: 2 ** 24 - 1 });
  for (let i = 0; i < 20_000; i++) blocks.hold(one(blocks.nextFree(i)!));
  assertEquals([blocks.held, blocks.runs], [20_000, 2]);
  for (let i = 0; i < 20_000; i += 2) blocks.release(one(i));
  assertEquals([blocks.held, blocks.runs], [10_000, 20_001]);
  for (let i = 1; i < 20_000; i += 2) blocks.release(one(i));
  assertEquals([blocks.held, blocks.runs], [0, 1]);
});

Deno.test("HeldBlocks: a change returns the blocks that went from free to held, or from held to free", () => {
  const blocks = new HeldBlocks(10);
  assertEquals(blocks.hold({ first: 2, last: 4 }), 3);
  assertEquals(blocks.hold({ first: 0, last: 9 }), 7);
  assertEquals(blocks.release({ first: 0, last: 9 }), 7);
  assertEquals(blocks.release(one(3)), 1);
});

Deno.test("HeldBlocks: the search for a free block goes from where it is told to start to the end, and on from the first block", () => {
  const blocks = new HeldBlocks(5);
  for (const block of [1, 2, 4]) blocks.hold(one(block));
  assertEquals([0, 1, 2, 3, 4].map((from) => blocks.nextFree(from)), [0, 3, 3, 3, 0]);
  blocks.hold(one(0));
  blocks.hold(one(3));
  assertEquals(blocks.nextFree(2), undefined);
  assert(blocks.held === blocks.size);
});

Deno.test("HeldBlocks: releasing a block that nobody holds changes nothing and is an error", () => {
  const blocks = new HeldBlocks(5);
  blocks.hold(one(1));
  assertThrows(() => blocks.release({ first: 1, last: 2 }), RangeError, "Cannot release blocks 1 to 2");
  assertThrows(() => blocks.release(one(0)), RangeError, "Cannot release blocks 0: nobody holds all of them");
  assertEquals([blocks.held, blocks.runs], [1, 3]);
});

Deno.test("HeldBlocks knows no blocks but its own", () => {
  const blocks = new HeldBlocks(5);
  for (const range of [{ first: -1, last: 0 }, { first: 0, last: 5 }, { first: 3, last: 2 }]) {
    assertThrows(() => blocks.hold(range), RangeError, "there are 5");
    assertThrows(() => blocks.release(range), RangeError, "there are 5");
  }
});
