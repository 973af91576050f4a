import { assertEquals, assertRejects } from "@std/assert";
import { FakeClock, FakeWorld, MemoryLogger, sleep, SystemClock, SystemRandom } from "../../../src/base/mod.ts";

Deno.test("FakeClock: timers fire in order of their time, equal times in the order in which they were set", async () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  for (const [name, delayMs] of [["b", 20], ["a", 10], ["c", 20], ["now", 0], ["past", -5]] as const) {
    clock.setTimer(delayMs, () => fired.push(name));
  }
  await clock.advance(20);
  assertEquals(fired, ["now", "past", "a", "b", "c"]);
});

Deno.test("FakeClock: between two timers, and before advance returns, everything that is ready to run has run", async () => {
  const clock = new FakeClock();
  const seen: string[] = [];
  clock.setTimer(10, () => void Promise.resolve().then(() => Promise.resolve()).then(() => seen.push("promise")));
  clock.setTimer(11, () => seen.push("timer"));
  await clock.advance(10);
  assertEquals(seen, ["promise"]);
  await clock.advance(1);
  assertEquals(seen, ["promise", "timer"]);
});

Deno.test("FakeClock: a timer set while time advances fires in the same advance if its time is reached", async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const again = () => {
    times.push(clock.monotonicMs());
    clock.setTimer(10, again);
  };
  clock.setTimer(10, again);
  await clock.advance(35);
  assertEquals(times, [10, 20, 30]);
  assertEquals(clock.nextTimerInMs, 5);
});

Deno.test("FakeClock: time never goes back, even if an advance ends after another one that began earlier", async () => {
  const clock = new FakeClock();
  const first = clock.advance(10);
  await clock.nextTurn();
  await Promise.all([first, clock.advance(0)]);
  assertEquals(clock.monotonicMs(), 10);
});

Deno.test("FakeClock moves the wall clock and the monotonic clock together", async () => {
  const clock = new FakeClock({ startWallMs: 1000 });
  await clock.advance(250.5);
  assertEquals([clock.monotonicMs(), clock.wallMs()], [250.5, 1250.5]);
});

Deno.test("FakeClock: a jump of the wall clock fires no timer and delays none: they go by the monotonic clock", async () => {
  for (const jumpMs of [86_400_000, -86_400_000]) {
    const clock = new FakeClock({ startWallMs: Date.UTC(2026, 0, 2) });
    const fired: number[] = [];
    clock.setTimer(1000, () => fired.push(clock.wallMs()));
    clock.jumpWall(jumpMs);
    assertEquals([clock.wallMs(), clock.monotonicMs()], [Date.UTC(2026, 0, 2) + jumpMs, 0]);
    await clock.advance(999);
    assertEquals(fired, []);
    await clock.advance(1);
    assertEquals(fired, [Date.UTC(2026, 0, 2) + jumpMs + 1000]);
  }
});

Deno.test("FakeClock does not fire a cancelled timer, and does not count it", async () => {
  const clock = new FakeClock();
  let fired = 0;
  const timer = clock.setTimer(10, () => fired++);
  clock.setTimer(20, () => fired++);
  timer.cancel();
  timer.cancel();
  assertEquals([clock.pendingTimers, clock.nextTimerInMs, clock.firedTimers], [1, 20, 0]);
  await clock.advance(100);
  assertEquals([fired, clock.pendingTimers, clock.nextTimerInMs, clock.firedTimers], [1, 0, undefined, 1]);
});

Deno.test("FakeClock.advanceUntil goes from timer to timer until the condition holds", async () => {
  const clock = new FakeClock();
  let ticks = 0;
  const tick = () => {
    ticks++;
    clock.setTimer(1000, tick);
  };
  clock.setTimer(1000, tick);
  await clock.advanceUntil(() => ticks === 3);
  assertEquals(clock.monotonicMs(), 3000);
});

Deno.test("FakeClock.advanceUntil rejects when no timer is left or the limit is reached", async () => {
  const clock = new FakeClock();
  await assertRejects(() => clock.advanceUntil(() => false), Error, "no timer is left");
  clock.setTimer(5000, () => {});
  await assertRejects(() => clock.advanceUntil(() => false, { limitMs: 4999 }), Error, "4999 ms have passed");
});

Deno.test("sleep gives true after the full delay", async () => {
  const clock = new FakeClock();
  let result: boolean | undefined;
  const slept = sleep(clock, 100).then((value) => result = value);
  await clock.advance(99);
  assertEquals(result, undefined);
  await clock.advance(1);
  await slept;
  assertEquals(result, true);
});

Deno.test("sleep gives false when the signal aborts, and leaves no timer behind", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const slept = sleep(clock, 100, controller.signal);
  controller.abort();
  assertEquals(await slept, false);
  assertEquals(clock.pendingTimers, 0);
  assertEquals(await sleep(clock, 100, controller.signal), false);
});

Deno.test("SystemClock calls a timer once, unless it is cancelled", async () => {
  const clock = new SystemClock();
  const calls: string[] = [];
  clock.setTimer(0, () => calls.push("cancelled")).cancel();
  await new Promise<void>((resolve) => clock.setTimer(0, resolve));
  await clock.nextTurn();
  assertEquals(calls, []);
});

Deno.test("SystemClock.setTimer does not fire at once for a delay of months", async () => {
  const clock = new SystemClock();
  let fired = false;
  const timer = clock.setTimer(2 ** 31 + 1000, () => fired = true);
  await new Promise<void>((resolve) => clock.setTimer(1, resolve));
  timer.cancel();
  assertEquals(fired, false);
});

Deno.test("FakeWorld reads files from its map, and a change is seen", async () => {
  const world = new FakeWorld({ files: { "/token": "a" } });
  world.fileContents.set("/token", "b");
  assertEquals(await world.files.readText("/token"), "b");
  await assertRejects(() => world.files.readText("/none"), Deno.errors.NotFound, "/none");
});

Deno.test("FakeWorld gives the same randomness for the same seed, another one for another", () => {
  const draw = (seed: number) => {
    const { random } = new FakeWorld({ seed });
    return [random.float(), random.float(), random.uuid()];
  };
  assertEquals(draw(7), draw(7));
  assertEquals(draw(7)[0] === draw(8)[0], false);
});

Deno.test("SeededRandom and SystemRandom make version 4 UUIDs and numbers from 0 to below 1", () => {
  for (const random of [new FakeWorld().random, new SystemRandom()]) {
    const uuids = Array.from({ length: 50 }, () => random.uuid());
    assertEquals(new Set(uuids).size, 50);
    for (const uuid of uuids) {
      assertEquals(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid), true);
    }
    for (let i = 0; i < 50; i++) {
      const value = random.float();
      assertEquals(value >= 0 && value < 1, true);
    }
  }
});

Deno.test("MemoryLogger keeps lines with severity, verbosity, name and fields", () => {
  const log = new MemoryLogger();
  log.named("a").named("b").warn("careful", { key: "x" });
  log.verbose(4, "detail");
  assertEquals(log.lines, [
    { severity: "warning", verbosity: 0, logger: "a.b", message: "careful", fields: { key: "x" } },
    { severity: "info", verbosity: 4, logger: "", message: "detail", fields: {} },
  ]);
});
