import { assertEquals, assertRejects } from "@std/assert";
import { FakeClock, setSharedTimer } from "../../../src/base/mod.ts";

/** A clock that counts the timers which it is asked for. */
function countingClock(): { clock: FakeClock; timers: () => number } {
  const clock = new FakeClock();
  const setTimer = clock.setTimer.bind(clock);
  let timers = 0;
  clock.setTimer = (delayMs, fn) => (timers++, setTimer(delayMs, fn));
  return { clock, timers: () => timers };
}

Deno.test("setSharedTimer: each is called when its time has come, in the order in which they were set", async () => {
  const clock = new FakeClock();
  const called: string[] = [];
  const set = (name: string, delayMs: number) =>
    setSharedTimer(clock, delayMs, () => called.push(`${name} at ${clock.monotonicMs()}`));
  const beganMs = clock.monotonicMs();
  set("a", 100);
  set("short", 30);
  await clock.advance(20);
  set("b", 100);
  set("c", 100);
  await clock.advance(200);
  assertEquals(called, [30, 100, 120, 120].map((ms, i) => `${["short", "a", "b", "c"][i]} at ${beganMs + ms}`));
});

Deno.test("setSharedTimer: one that was cancelled is not called, also if another one of the same moment cancels it", async () => {
  const clock = new FakeClock();
  const called: string[] = [];
  const early = setSharedTimer(clock, 50, () => called.push("early"));
  setSharedTimer(clock, 50, () => {
    called.push("first");
    second.cancel();
  });
  const second = setSharedTimer(clock, 50, () => called.push("second"));
  setSharedTimer(clock, 50, () => called.push("third"));
  early.cancel();
  await clock.advance(50);
  assertEquals(called, ["first", "third"]);
});

Deno.test("setSharedTimer: when none is pending, no timer is left", async () => {
  const clock = new FakeClock();
  const timers = [1, 2, 3].map(() => setSharedTimer(clock, 1000, () => {}));
  for (const timer of timers) timer.cancel();
  for (const timer of timers) timer.cancel();
  assertEquals(clock.pendingTimers, 0);
  setSharedTimer(clock, 1000, () => {});
  await clock.advance(1000);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("setSharedTimer: what is set as one is called has its time too", async () => {
  const clock = new FakeClock();
  const called: number[] = [];
  const beganMs = clock.monotonicMs();
  const again = () => {
    called.push(clock.monotonicMs() - beganMs);
    if (called.length < 3) setSharedTimer(clock, 10, again);
  };
  setSharedTimer(clock, 10, again);
  setSharedTimer(clock, 10, () => {});
  await clock.advance(100);
  assertEquals(called, [10, 20, 30]);
});

Deno.test("setSharedTimer: one that throws keeps none from being called, of the same moment or later", async () => {
  const clock = new FakeClock();
  const called: string[] = [];
  setSharedTimer(clock, 50, () => {
    throw new Error("out of luck");
  });
  setSharedTimer(clock, 50, () => called.push("same"));
  await clock.advance(20);
  setSharedTimer(clock, 50, () => called.push("later"));
  await assertRejects(() => clock.advance(30), Error, "out of luck");
  await clock.advance(0);
  assertEquals(called, ["same"]);
  await clock.advance(20);
  assertEquals([called, clock.pendingTimers], [["same", "later"], 0]);
});

Deno.test("setSharedTimer asks the platform for one timer, however many are pending", () => {
  const { clock, timers } = countingClock();
  const kept = setSharedTimer(clock, 90_000, () => {});
  for (let i = 0; i < 1000; i++) setSharedTimer(clock, 90_000, () => {}).cancel();
  kept.cancel();
  assertEquals([timers(), clock.pendingTimers], [1, 0]);
});
