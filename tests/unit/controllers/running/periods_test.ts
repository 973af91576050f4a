import { assertEquals, assertRejects } from "@std/assert";
import { FakeClock, sleep } from "../../../../src/base/mod.ts";
import { periodically } from "../../../../src/controllers/running/mod.ts";

Deno.test("periodically() begins at once, and again a period after each round has ended", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const begunMs: number[] = [];
  const running = periodically({ clock, signal: stop.signal, periodMs: 60_000 }, async () => {
    begunMs.push(clock.monotonicMs());
    await sleep(clock, 5_000);
  });
  const startMs = clock.monotonicMs();
  for (let i = 0; i < 30; i++) await clock.advance(5_000);
  assertEquals(begunMs.map((ms) => ms - startMs), [0, 65_000, 130_000]);
  stop.abort();
  await running;
});

Deno.test("periodically() does nothing for a signal that has aborted, and fails with a round that fails", async () => {
  const clock = new FakeClock();
  const round = () => Promise.reject(new Error("a round"));
  await periodically({ clock, signal: AbortSignal.abort(), periodMs: 1 }, round);
  await assertRejects(
    () => periodically({ clock, signal: new AbortController().signal, periodMs: 1 }, round),
    Error,
    "a round",
  );
});
