import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { WakingTime } from "../../../../src/controllers/nodes/mod.ts";

/** A clock whose timers do not fire, as while the process is frozen. */
class FrozenClock extends FakeClock {
  aheadMs = 0;
  sleptMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.aheadMs;
  }

  override wallMs(): number {
    return super.wallMs() + this.aheadMs + this.sleptMs;
  }
}

Deno.test("WakingTime: time passes as by the monotonic clock while the process runs", async () => {
  const clock = new FakeClock();
  const time = new WakingTime(clock);
  const stop = new AbortController();
  const running = time.run(stop.signal);
  await clock.advance(600_000);
  assertEquals([time.nowMs(), time.settlingMs()], [600_000, 0]);
  stop.abort();
  await running;
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("WakingTime: time in which nothing ran, or the machine slept, counts for seven seconds at most", () => {
  const clock = new FrozenClock();
  const time = new WakingTime(clock);
  clock.aheadMs = 600_000;
  assertEquals(time.nowMs(), 7_000);
  clock.sleptMs = 3_600_000;
  assertEquals(time.nowMs(), 7_000, "the monotonic clock stood still");
});

Deno.test("WakingTime: it is settling for five seconds after such a time, or after something came two seconds late: caches may be far behind", async () => {
  const clock = new FrozenClock();
  const time = new WakingTime(clock);
  clock.aheadMs = 7_001;
  assertEquals(time.settlingMs(), 5_000);
  await clock.advance(3_000);
  assertEquals(time.settlingMs(), 2_000);
  await clock.advance(2_000);
  assertEquals(time.settlingMs(), 0);
  clock.sleptMs += 2_001;
  assertEquals(time.settlingMs(), 5_000, "a machine that slept");
  await clock.advance(5_000);
  assertEquals(time.settlingMs(clock.monotonicMs() - 2_000), 0);
  assertEquals(time.settlingMs(clock.monotonicMs() - 2_001), 5_000);
});

Deno.test("WakingTime: a wall clock that is set back changes nothing", async () => {
  const clock = new FakeClock();
  const time = new WakingTime(clock);
  clock.jumpWall(-86_400_000);
  await clock.advance(1_000);
  assertEquals([time.nowMs(), time.settlingMs()], [1_000, 0]);
});

Deno.test("WakingTime: what was before it runs does not count", async () => {
  const clock = new FakeClock();
  const time = new WakingTime(clock);
  await clock.advance(3_600_000);
  const stop = new AbortController();
  const running = time.run(stop.signal);
  assertEquals([time.nowMs(), time.settlingMs()], [0, 0]);
  stop.abort();
  await running;
});
