import { assertEquals, assertRejects } from "@std/assert";
import { Deferred, parallelize, settle } from "../../../src/base/mod.ts";

Deno.test("parallelize runs at most as many pieces at a time as there are workers", async () => {
  const gates = Array.from({ length: 5 }, () => new Deferred());
  const started: number[] = [];
  const done = parallelize(2, 5, (piece) => {
    started.push(piece);
    return gates[piece].promise;
  });
  assertEquals(started, [0, 1]);
  gates[1].resolve();
  await settle();
  assertEquals(started, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await done;
  assertEquals(started, [0, 1, 2, 3, 4]);
});

Deno.test("parallelize starts no further piece once the signal aborts, and waits for those running", async () => {
  const controller = new AbortController();
  const gate = new Deferred();
  const started: number[] = [];
  let ended = false;
  const done = parallelize(1, 3, (piece) => {
    started.push(piece);
    return gate.promise;
  }, controller.signal).then(() => ended = true);
  controller.abort();
  await settle();
  assertEquals(ended, false);
  gate.resolve();
  await done;
  assertEquals(started, [0]);
});

Deno.test("parallelize throws what was thrown first, starts no further piece, and waits for those running", async () => {
  const slow = new Deferred();
  const started: number[] = [];
  let settled = false;
  const done = parallelize(2, 10, async (piece) => {
    started.push(piece);
    if (piece === 0) await slow.promise;
    throw new Error(`piece ${piece}`);
  });
  done.catch(() => settled = true);
  await settle();
  assertEquals([started, settled], [[0, 1], false]);
  slow.resolve();
  await assertRejects(() => done, Error, "piece 1");
});

Deno.test("parallelize does nothing for no pieces", async () => {
  await parallelize(3, 0, () => Promise.reject(new Error("called")));
});
