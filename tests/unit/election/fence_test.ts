import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../src/base/mod.ts";
import { Fence } from "../../../src/election/fence.ts";
import { ProcessClock } from "./process_clock.ts";

function setUp() {
  const base = new FakeClock();
  const clock = new ProcessClock(base);
  return { base, clock, fence: new Fence(clock, 15_000) };
}

Deno.test("Fence: it is open for less than durationMs after the START of the last request that renewed the lease, and not before one", async () => {
  const { base, fence } = setUp();
  assertEquals(fence.isOpen, false);
  const renewal = fence.begin();
  await base.advance(5000);
  fence.renewed(renewal);
  await base.advance(9999);
  assertEquals([fence.isOpen, fence.remainingMs], [true, 1]);
  await base.advance(1);
  assertEquals([fence.isOpen, fence.remainingMs], [false, 0]);
});

Deno.test("Fence: of the monotonic and the wall clock it believes the one by which more time has passed: while a machine is suspended only the wall clock goes on", async () => {
  const { base, clock, fence } = setUp();
  fence.renewed(fence.begin());
  clock.suspend(20_000);
  await base.advance(20_000);
  assertEquals([clock.monotonicMs(), fence.isOpen], [0, false]);
  fence.renewed(fence.begin());
  assertEquals(fence.isOpen, true);
});

Deno.test("Fence: a wall clock set forward closes it early, one set back opens nothing", async () => {
  const { base, clock, fence } = setUp();
  fence.renewed(fence.begin());
  clock.wallSkewMs = 15_000;
  assertEquals(fence.isOpen, false);
  clock.wallSkewMs = -3_600_000;
  assertEquals(fence.isOpen, false);
  fence.renewed(fence.begin());
  clock.wallSkewMs = -7_200_000;
  await base.advance(14_999);
  assertEquals(fence.isOpen, true);
  await base.advance(1);
  assertEquals(fence.isOpen, false);
});

Deno.test("Fence: once closed it stays closed until a request that was sent afterwards renews the lease", () => {
  const { fence } = setUp();
  const underWay = fence.begin();
  fence.close();
  fence.renewed(underWay);
  assertEquals(fence.isOpen, false);
  fence.renewed(fence.begin());
  assertEquals(fence.isOpen, true);
});
