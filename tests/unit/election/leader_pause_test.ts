import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../src/base/mod.ts";
import { Fence } from "../../../src/election/fence.ts";
import { LeaderPause } from "../../../src/election/leader_pause.ts";
import { countListeners } from "../base/listeners.ts";
import { ProcessClock } from "./process_clock.ts";

/** Pauses of 2 s while a fence is open for 15 s, by the clock of a process that can be frozen. */
function setUp() {
  const base = new FakeClock();
  const clock = new ProcessClock(base);
  const fence = new Fence(clock, 15_000);
  fence.renewed(fence.begin());
  const pause = new LeaderPause({ clock, fence, retryPeriodMs: 2000 });
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  /** When the pause ended, and when the renewal was due. */
  const wait = async () => {
    const dueMs = await pause.wait(stop.signal);
    return { endMs: clock.monotonicMs(), dueMs };
  };
  return { base, clock, fence, pause, stop, listeners, wait };
}

Deno.test("LeaderPause: a pause is the retry period", async () => {
  const { base, listeners, wait } = setUp();
  const waiting = wait();
  await base.advance(3000);
  assertEquals(await waiting, { endMs: 2000, dueMs: 2000 });
  assertEquals([listeners.count, base.pendingTimers], [0, 0]);
});

Deno.test("LeaderPause: it ends early when the fence is seen closed, and at once by `end`", async () => {
  const { base, fence, pause, wait } = setUp();
  const ended = wait();
  await base.advance(100);
  pause.end();
  assertEquals(await ended, { endMs: 100, dueMs: 100 });
  const closed = wait();
  await base.advance(100);
  fence.close();
  await base.advance(400);
  assertEquals(await closed, { endMs: 600, dueMs: 600 });
  assertEquals(await wait(), { endMs: 600, dueMs: 600 });
  assertEquals(base.pendingTimers, 0);
});

Deno.test("LeaderPause: it tells when the next renewal was due, which is long ago if the process did not run meanwhile", async () => {
  const { base, clock, wait } = setUp();
  const waiting = wait();
  await base.advance(100);
  clock.freeze(9000);
  await base.advance(9000);
  assertEquals(await waiting, { endMs: 9100, dueMs: 2000 });
});

Deno.test("LeaderPause: it ends at once if the signal has aborted, or aborts meanwhile", async () => {
  for (const isBefore of [true, false]) {
    const { base, stop, wait } = setUp();
    if (isBefore) stop.abort();
    const waiting = wait();
    stop.abort();
    await base.advance(0);
    assertEquals(base.pendingTimers, 0);
    assertEquals(await waiting, { endMs: 0, dueMs: undefined });
  }
});
