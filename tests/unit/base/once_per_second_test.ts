import { assertEquals, assertRejects } from "@std/assert";
import { Deferred, FakeClock, OncePerSecond } from "../../../src/base/mod.ts";

Deno.test("OncePerSecond: callers within a second after a computation began share its value", async () => {
  const clock = new FakeClock();
  let begun = 0;
  const value = new OncePerSecond(clock, () => Promise.resolve(++begun));
  assertEquals([await value.get(), await value.get()], [1, 1]);
  await clock.advance(999);
  assertEquals(await value.get(), 1);
  await clock.advance(1);
  assertEquals([await value.get(), await value.get()], [2, 2]);
});

Deno.test("OncePerSecond: a computation that fails is not repeated within the second either", async () => {
  const clock = new FakeClock();
  let begun = 0;
  const value = new OncePerSecond(clock, () => Promise.reject(new Error(`failure ${++begun}`)));
  for (let i = 0; i < 3; i++) await assertRejects(() => value.get(), Error, "failure 1");
  await clock.advance(1000);
  await assertRejects(() => value.get(), Error, "failure 2");
});

Deno.test("OncePerSecond: a computation that hangs does not delay callers that come a second later", async () => {
  const clock = new FakeClock();
  const hangs = new Deferred<string>();
  const values = [hangs.promise, Promise.resolve("second")];
  const value = new OncePerSecond(clock, () => values.shift()!);
  const first = value.get();
  await clock.advance(1000);
  assertEquals(await value.get(), "second");
  hangs.resolve("first");
  assertEquals([await first, await value.get()], ["first", "second"]);
});
