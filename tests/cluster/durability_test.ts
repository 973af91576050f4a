import { assert } from "@std/assert";
import { killWriters } from "../sandbox/durability.ts";

const KILLS = 200;

Deno.test(`A data directory keeps every acknowledged write through ${KILLS} times kill -9`, async () => {
  const { writes, interrupted } = await killWriters({ kills: KILLS, seed: 1000 });
  assert(writes > 10 * KILLS, `only ${writes} writes`);
  assert(interrupted > KILLS / 4, `only ${interrupted} kills met a write under way`);
});
