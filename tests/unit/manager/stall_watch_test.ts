import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { watchForStalls } from "../../../src/manager/stall_watch.ts";
import { ProcessClock } from "../election/process_clock.ts";

/** What is logged while `act` happens to a process. */
async function logged(act: (clock: ProcessClock) => void) {
  const world = new FakeWorld();
  const clock = new ProcessClock(world.clock);
  const metrics = new MetricsRegistry();
  const stop = new AbortController();
  const watching = watchForStalls({ clock, log: world.log }, { metrics, signal: stop.signal });
  await world.clock.advance(1000);
  act(clock);
  await world.clock.advance(60_000);
  stop.abort();
  await watching;
  assertEquals(world.clock.pendingTimers, 0);
  return { lines: world.log.lines.map(({ message, fields }) => [message, fields?.ms]), metrics: metrics.render() };
}

Deno.test("watchForStalls: a stall of more than a second is logged with its length once it is over, and counted", async () => {
  const { lines, metrics } = await logged((clock) => clock.freeze(12_500));
  assertEquals(lines, [["The main thread was blocked", 12_000]]);
  assertStringIncludes(metrics, "kubeloop_main_thread_stalled_seconds_total 12\n");
  const short = await logged((clock) => clock.freeze(1400));
  assertEquals(short.lines, []);
  assertStringIncludes(short.metrics, "kubeloop_main_thread_stalled_seconds_total 0\n");
});

Deno.test("watchForStalls logs a stall that is over when the process ends, too", async () => {
  const world = new FakeWorld();
  const clock = new ProcessClock(world.clock);
  const stop = new AbortController();
  const metrics = new MetricsRegistry();
  const watching = watchForStalls({ clock, log: world.log }, { metrics, signal: stop.signal });
  await world.clock.advance(1100);
  // Who finds that the lease is lost may be the first to run again.
  clock.freeze(12_500);
  await world.clock.advance(12_400);
  stop.abort();
  await watching;
  assertEquals(world.log.lines.map(({ message }) => message), ["The main thread was blocked"]);
});

Deno.test("watchForStalls: a wall clock that ran ahead of the monotonic one by more than a second is logged too: the machine was suspended, or its clock was set", async () => {
  const line = "The machine was suspended, or its clock was set forward";
  assertEquals((await logged((clock) => clock.suspend(30_000))).lines, [[line, 30_000]]);
  assertEquals((await logged((clock) => clock.wallSkewMs = 5000)).lines, [[line, 5000]]);
  assertEquals((await logged((clock) => clock.wallSkewMs = -5000)).lines, []);
});
