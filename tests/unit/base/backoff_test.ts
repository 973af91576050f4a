import { assertEquals } from "@std/assert";
import { Backoff, FakeWorld } from "../../../src/base/mod.ts";

const OPTIONS = { initialMs: 800, capMs: 3000, factor: 2, jitter: 0 };

function take(backoff: Backoff, count: number): number[] {
  return Array.from({ length: count }, () => backoff.nextMs());
}

Deno.test("Backoff grows by the factor up to the cap", () => {
  assertEquals(take(new Backoff(new FakeWorld(), OPTIONS), 4), [800, 1600, 3000, 3000]);
});

Deno.test("Backoff.nextMs stays at the cap when the first delay is over it", () => {
  assertEquals(take(new Backoff(new FakeWorld(), { ...OPTIONS, initialMs: 9000 }), 2), [3000, 3000]);
});

Deno.test("Backoff.reset starts growth anew", () => {
  const backoff = new Backoff(new FakeWorld(), OPTIONS);
  take(backoff, 3);
  backoff.reset();
  assertEquals(backoff.nextMs(), 800);
});

Deno.test("Backoff starts growth anew when asked later than resetMs after growth last started", async () => {
  const world = new FakeWorld();
  const backoff = new Backoff(world, { ...OPTIONS, resetMs: 10_000 });
  take(backoff, 2);
  await world.clock.advance(10_000);
  assertEquals(backoff.nextMs(), 3000);
  await world.clock.advance(1);
  assertEquals(take(backoff, 2), [800, 1600]);
  await world.clock.advance(10_000);
  assertEquals(backoff.nextMs(), 3000);
});

Deno.test("Backoff never starts anew by itself without resetMs", async () => {
  const world = new FakeWorld();
  const backoff = new Backoff(world, OPTIONS);
  take(backoff, 2);
  await world.clock.advance(1e9);
  assertEquals(backoff.nextMs(), 3000);
});

Deno.test("Backoff adds jitter on top of the delay, and growth goes without it", () => {
  const backoff = new Backoff(new FakeWorld({ seed: 4 }), { ...OPTIONS, capMs: Infinity, jitter: 1 });
  const delays = take(backoff, 8);
  for (const [i, delay] of delays.entries()) {
    const base = 800 * 2 ** i;
    assertEquals(delay >= base && delay < 2 * base, true, `delay ${i} is ${delay}`);
  }
  assertEquals(delays.some((delay, i) => delay !== 800 * 2 ** i), true);
});
