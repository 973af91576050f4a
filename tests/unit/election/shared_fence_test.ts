import { assertEquals } from "@std/assert";
import { type Clock, FakeWorld } from "../../../src/base/mod.ts";
import { FenceView, LeaderElector, LeaseLock, SharedFence } from "../../../src/election/mod.ts";
import { FakeLeaseApi } from "./lease_api.ts";
import { ProcessClock } from "./process_clock.ts";

/** A view of a thread whose own clock is `clock`. */
function viewOf(fence: SharedFence, clock: Clock): FenceView {
  const times = new BigInt64Array(fence.lend().memory);
  return new FenceView((slot) => Atomics.load(times, slot), clock);
}

/** Both clocks in so long. */
function inMs(clock: Clock, ms: number) {
  return { monotonicMs: clock.monotonicMs() + ms, wallMs: clock.wallMs() + ms };
}

/** How much more the other thread's clock shows. */
const AHEAD_MS = [0, 5_000_000, -3000];

for (const aheadMs of AHEAD_MS) {
  Deno.test(`SharedFence: it is closed at first, open until either clock shows the time given to openUntil, and closed by close, for a thread that is ${aheadMs} ms behind`, async () => {
    const { clock } = new FakeWorld();
    const owner = new ProcessClock(clock, { startMs: aheadMs });
    const fence = new SharedFence();
    const view = viewOf(fence, clock);
    view.compare(clock.monotonicMs(), owner.monotonicMs());
    assertEquals(view.isOpen, false, "closed at first");
    fence.openUntil(inMs(owner, 1000));
    await clock.advance(999);
    assertEquals(view.isOpen, true);
    await clock.advance(1);
    assertEquals(view.isOpen, false);
    fence.openUntil();
    assertEquals(view.isOpen, true, "for ever");
    fence.close();
    assertEquals(view.isOpen, false);
  });
}

Deno.test("FenceView: it is closed until the clocks were compared", () => {
  const fence = new SharedFence();
  const view = viewOf(fence, new FakeWorld().clock);
  fence.openUntil();
  assertEquals(view.isOpen, false);
});

Deno.test("FenceView: it closes at the latest when the fence does, and earlier by no more than the quickest comparison took", async () => {
  const { clock } = new FakeWorld();
  const fence = new SharedFence();
  const view = viewOf(fence, clock);
  const askedMs = clock.monotonicMs();
  await clock.advance(40);
  view.compare(askedMs, clock.monotonicMs());
  view.compare(clock.monotonicMs() - 700, clock.monotonicMs());
  fence.openUntil(inMs(clock, 1000));
  await clock.advance(959);
  assertEquals(view.isOpen, true);
  await clock.advance(1);
  assertEquals(view.isOpen, false);
});

Deno.test("FenceView closes when either clock shows the end: a suspended machine's monotonic clock stands still", () => {
  const { clock } = new FakeWorld();
  const fence = new SharedFence();
  const view = viewOf(fence, clock);
  view.compare(clock.monotonicMs(), clock.monotonicMs());
  fence.openUntil(inMs(clock, 1000));
  clock.jumpWall(999);
  assertEquals(view.isOpen, true);
  clock.jumpWall(1);
  assertEquals(view.isOpen, false);
  clock.jumpWall(-3_600_000);
  assertEquals(view.isOpen, false, "what is over is over");
  fence.openUntil(inMs(clock, 1001));
  assertEquals(view.isOpen, true);
});

Deno.test("SharedFence: each thread has its own memory, which only this one writes: what a thread writes there opens nothing for others", () => {
  const { clock } = new FakeWorld();
  const fence = new SharedFence();
  const [mine, others] = [fence.lend(), viewOf(fence, clock)];
  others.compare(0, 0);
  new BigInt64Array(mine.memory).fill(2n ** 63n - 1n);
  assertEquals(others.isOpen, false);
  fence.openUntil();
  new BigInt64Array(mine.memory).fill(-(2n ** 63n));
  assertEquals(others.isOpen, true);
});

Deno.test("SharedFence: a fence that was lent and taken back stays closed", () => {
  const fence = new SharedFence();
  fence.openUntil();
  const lent = fence.lend();
  const times = new BigInt64Array(lent.memory);
  assertEquals(times[0], 2n ** 63n - 1n, "what is lent while it is open is open");
  lent.takeBack();
  fence.openUntil();
  assertEquals(times[0], -(2n ** 63n));
});

Deno.test("LeaderElector keeps its shared fence open exactly as long as mayWrite() is true", async () => {
  const world = new FakeWorld();
  const api = new FakeLeaseApi();
  let isCut = false;
  const sharedFence = new SharedFence();
  const view = viewOf(sharedFence, world.clock);
  view.compare(world.clock.monotonicMs(), world.clock.monotonicMs());
  const before = () => {
    if (isCut) throw new TypeError("connection refused");
  };
  const elector = new LeaderElector({
    world,
    lock: new LeaseLock({ client: api.client({ before }), namespace: "kube-system", name: "lock", identity: "me" }),
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    onStartedLeading: () => {},
    onStoppedLeading: () => {},
    sharedFence,
  });
  const seen: boolean[] = [];
  const stop = new AbortController();
  const watch = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      await world.clock.advance(100);
      assertEquals(view.isOpen, elector.mayWrite());
    }
    seen.push(view.isOpen);
  };
  assertEquals(view.isOpen, false);
  const lost = elector.run(stop.signal);
  await watch(30_000);
  isCut = true;
  await watch(20_000);
  assertEquals(await lost, "lost");
  isCut = false;
  const stopped = elector.run(stop.signal);
  await watch(60_000);
  stop.abort();
  assertEquals([view.isOpen, elector.mayWrite()], [false, false]);
  await world.clock.advance(0);
  assertEquals([await stopped, ...seen], ["stopped", true, false, true]);
});
