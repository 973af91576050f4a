import { assertEquals } from "@std/assert";
import { FakeClock, FakeWorld } from "../../../src/base/mod.ts";
import {
  BucketLimiter,
  defaultControllerLimiter,
  ItemExponentialLimiter,
  MaxOfLimiter,
  type RateLimiter,
  WorkQueue,
} from "../../../src/workqueue/mod.ts";

function whens(limiter: RateLimiter, key: string, times: number): number[] {
  return Array.from({ length: times }, () => limiter.when(key));
}

Deno.test("ItemExponentialLimiter doubles per key and starts anew after forget", () => {
  const limiter = new ItemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
  assertEquals(whens(limiter, "one", 5), [1, 2, 4, 8, 16]);
  assertEquals(limiter.numRequeues("one"), 5);
  assertEquals(whens(limiter, "two", 2), [1, 2]);
  limiter.forget("one");
  assertEquals([limiter.numRequeues("one"), limiter.when("one")], [0, 1]);
});

Deno.test("ItemExponentialLimiter stays at its maximum however often a key fails", () => {
  const limiter = new ItemExponentialLimiter({ baseMs: 1, maxMs: 1_000_000 });
  assertEquals(whens(limiter, "one", 60).at(-1), 1_000_000);
  assertEquals(whens(limiter, "one", 2000).at(-1), 1_000_000);
});

Deno.test("BucketLimiter reserves tokens, so that debt accumulates and time pays it back", async () => {
  const clock = new FakeClock();
  const limiter = new BucketLimiter({ clock, perSecond: 10, burst: 2 });
  assertEquals(whens(limiter, "a", 4), [0, 0, 100, 200]);
  await clock.advance(400);
  assertEquals(whens(limiter, "b", 3), [0, 0, 100]);
  await clock.advance(3_600_000);
  assertEquals(whens(limiter, "c", 3), [0, 0, 100], "holds no more than its burst");
  assertEquals(limiter.numRequeues("a"), 0);
});

Deno.test("MaxOfLimiter asks every limiter and gives the longest delay", () => {
  const exponential = new ItemExponentialLimiter({ baseMs: 5, maxMs: 1_000_000 });
  const constant = new ItemExponentialLimiter({ baseMs: 12, maxMs: 12 });
  const limiter = new MaxOfLimiter(exponential, constant);
  assertEquals(whens(limiter, "a", 4), [12, 12, 20, 40]);
  assertEquals([exponential.numRequeues("a"), constant.numRequeues("a"), limiter.numRequeues("a")], [4, 4, 4]);
  limiter.forget("a");
  assertEquals(limiter.numRequeues("a"), 0);
});

Deno.test("defaultControllerLimiter gives the first hundred keys 5 ms, then one every 100 ms", () => {
  const limiter = defaultControllerLimiter(new FakeClock());
  const delays = Array.from({ length: 110 }, (_, i) => Math.round(limiter.when(`key ${i}`)));
  assertEquals(delays.slice(0, 100), Array(100).fill(5));
  assertEquals(delays.slice(100), [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
});

Deno.test("defaultControllerLimiter delays one key by upstream's series", async () => {
  const clock = new FakeClock();
  const limiter = defaultControllerLimiter(clock);
  const seconds: number[] = [];
  for (let i = 0; i < 20; i++) {
    seconds.push(limiter.when("a") / 1000);
    await clock.advance(1_000_000); // the bucket stays full
  }
  const series = [
    0.005,
    0.01,
    0.02,
    0.04,
    0.08,
    0.16,
    0.32,
    0.64,
    1.28,
    2.56,
    5.12,
    10.24,
    20.48,
    40.96,
    81.92,
    163.84,
  ];
  assertEquals(seconds, [...series, 327.68, 655.36, 1000, 1000]);
});

Deno.test("WorkQueue: addRateLimited adds a key after the delay its limiter names; numRequeues is the number of failures since the last forget", async () => {
  const world = new FakeWorld();
  const queue = new WorkQueue({ world, limiter: new ItemExponentialLimiter({ baseMs: 10, maxMs: 1000 }) });
  const delays: number[] = [];
  for (let i = 0; i < 4; i++) {
    if (i === 3) queue.forget("a");
    const startMs = world.clock.monotonicMs();
    queue.addRateLimited("a");
    await world.clock.advanceUntil(() => queue.length > 0);
    delays.push(world.clock.monotonicMs() - startMs);
    await queue.get();
    queue.done("a");
  }
  assertEquals(delays, [10, 20, 40, 10]);
  assertEquals(queue.numRequeues("a"), 1);
});

Deno.test("WorkQueue: forget clears the limiter's record of a key and leaves it queued", async () => {
  const world = new FakeWorld();
  const queue = new WorkQueue({ world });
  queue.addRateLimited("a");
  assertEquals(queue.numRequeues("a"), 1);
  queue.forget("a");
  assertEquals(queue.numRequeues("a"), 0);
  await world.clock.advance(5);
  assertEquals((await queue.get())?.key, "a");
});

Deno.test("WorkQueue: an ordinary add is never delayed, however often the key failed", () => {
  const queue = new WorkQueue({ world: new FakeWorld() });
  for (let i = 0; i < 200; i++) queue.addRateLimited("a");
  queue.add("a");
  assertEquals(queue.length, 1);
  queue.shutDown();
});
