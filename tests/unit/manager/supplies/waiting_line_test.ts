import { assertEquals, assertRejects } from "@std/assert";
import { Deferred, settle } from "../../../../src/base/mod.ts";
import { WaitingLine } from "../../../../src/manager/supplies/waiting_line.ts";

const { signal: never } = new AbortController();

Deno.test("WaitingLine: at most limit tasks run; the others start in the order in which they came", async () => {
  const line = new WaitingLine(2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => new Deferred());
  const all = works.map((work, i) => line.run(never, () => (begun.push(i), work.promise)));
  await settle();
  assertEquals(begun, [0, 1]);
  works[1].resolve();
  await settle();
  assertEquals(begun, [0, 1, 2]);
  for (const work of works) work.resolve();
  await Promise.all(all);
  assertEquals([begun, line.isIdle], [[0, 1, 2, 3, 4], true]);
});

Deno.test("WaitingLine: one whose signal aborts while it waits never begins, and delays nobody", async () => {
  const line = new WaitingLine(1);
  const begun: string[] = [];
  const first = new Deferred();
  const running = line.run(never, () => first.promise);
  const stop = new AbortController();
  const given = assertRejects(() => line.run(stop.signal, () => Promise.resolve(begun.push("given up"))), Error, "why");
  const last = line.run(never, () => Promise.resolve(begun.push("last")));
  await settle();
  stop.abort(new Error("why"));
  await given;
  first.resolve();
  await Promise.all([running, last]);
  await assertRejects(() => line.run(stop.signal, () => Promise.resolve(begun.push("late"))), Error, "why");
  assertEquals([begun, line.isIdle], [["last"], true]);
});

Deno.test("WaitingLine goes on after work that fails", async () => {
  const line = new WaitingLine(1);
  await assertRejects(() => line.run(never, () => Promise.reject(new Error("failed"))), Error, "failed");
  assertEquals([await line.run(never, () => Promise.resolve(1)), line.isIdle], [1, true]);
});
