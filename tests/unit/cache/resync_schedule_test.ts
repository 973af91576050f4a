import { assertEquals } from "@std/assert";
import { resyncPeriod, ResyncSchedule } from "../../../src/cache/resync_schedule.ts";
import { Journal, pod, rig } from "./fixtures.ts";

Deno.test("resyncPeriod is none if the handler wants none or nobody looks, and never shorter than the informer looks", () => {
  assertEquals(resyncPeriod({ wantedMs: 0, checkMs: 10 }), 0);
  assertEquals(resyncPeriod({ wantedMs: 10, checkMs: 0 }), 0);
  assertEquals(resyncPeriod({ wantedMs: 5, checkMs: 30 }), 30);
  assertEquals(resyncPeriod({ wantedMs: 60, checkMs: 30 }), 60);
});

Deno.test("ResyncSchedule is due once its period has passed since it was last due", () => {
  const schedule = new ResyncSchedule({ wantedMs: 10, checkMs: 10, nowMs: 100 });
  assertEquals([109, 110, 119, 125, 134, 135].map((nowMs) => schedule.check(nowMs)), [
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
});

Deno.test("SharedInformer: replays go only to handlers whose period has passed, and never ask the API server; it looks as often as the most impatient one wants", async () => {
  await using it = rig({ resyncPeriodMs: 30_000 });
  const [never, soon, later] = [new Journal(), new Journal(), new Journal()];
  it.informer.addEventHandler(never, { resyncPeriodMs: 0 });
  it.informer.addEventHandler(soon, { resyncPeriodMs: 10_000 });
  it.informer.addEventHandler(later);
  it.start();
  await it.source.list([pod("a")], 1);
  await it.settle();
  for (const journal of [never, soon, later]) journal.take();
  const replays: string[] = [];
  for (const stepMs of [9999, 1, 10_000, 9999, 1]) {
    await it.world.clock.advance(stepMs);
    replays.push([never, soon, later].map((journal) => journal.take().length).join(" "));
  }
  assertEquals(replays, ["0 0 0", "0 1 0", "0 1 0", "0 0 0", "0 1 1"]);
});

Deno.test("SharedInformer raises a handler's period below a second to a second", async () => {
  await using it = rig({ resyncPeriodMs: 30_000 });
  const journal = new Journal();
  it.informer.addEventHandler(journal, { resyncPeriodMs: 200 });
  it.start();
  await it.source.list([pod("a")], 1);
  await it.settle();
  journal.take();
  await it.world.clock.advance(999);
  assertEquals(journal.take().length, 0);
  await it.world.clock.advance(1);
  assertEquals(journal.take().length, 1);
});

Deno.test("SharedInformer raises the period of a handler added after start to how often it looks", async () => {
  await using it = rig({ resyncPeriodMs: 30_000 });
  it.start();
  await it.source.list([pod("a")], 1);
  const journal = new Journal();
  it.informer.addEventHandler(journal, { resyncPeriodMs: 5000 });
  await it.settle();
  journal.take();
  const replays: number[] = [];
  for (const stepMs of [5000, 24_999, 1]) {
    await it.world.clock.advance(stepMs);
    replays.push(journal.take().length);
  }
  assertEquals(replays, [0, 0, 1]);
});

Deno.test("SharedInformer gives no replays to a handler added after start if it never looks", async () => {
  await using it = rig();
  it.start();
  await it.source.list([pod("a")], 1);
  const journal = new Journal();
  it.informer.addEventHandler(journal, { resyncPeriodMs: 5000 });
  await it.settle();
  journal.take();
  await it.world.clock.advance(3_600_000);
  assertEquals(journal.take().length, 0);
});

Deno.test("SharedInformer replays the store as updates with the same object and leaves it untouched", async () => {
  await using it = rig({ resyncPeriodMs: 10_000 });
  const pairs: [unknown, unknown][] = [];
  it.informer.addEventHandler({ onUpdate: (before, after) => pairs.push([before, after]) });
  it.start();
  await it.source.list([pod("a"), pod("b")], 7);
  await it.settle();
  await it.world.clock.advance(10_000);
  const stored = it.informer.indexer.list();
  assertEquals(pairs.length, 2);
  assertEquals(pairs.every(([before, after]) => before === after && stored.some((object) => object === after)), true);
  assertEquals(it.informer.resourceVersion, "7");
});

Deno.test("SharedInformer replays what it holds while its source lists anew, and first when it holds something", async () => {
  await using it = rig({ resyncPeriodMs: 10_000 });
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  await it.world.clock.advance(25_000);
  await it.source.list([pod("a")], 1);
  await it.settle();
  journal.take();
  const relist = it.source.sink.beginReplace();
  await it.world.clock.advance(9999);
  assertEquals(journal.take().length, 0);
  await it.world.clock.advance(1);
  assertEquals(journal.take().length, 1);
  await relist.commit("2");
  await it.settle();
  journal.take();
  await it.world.clock.advance(10_000);
  assertEquals(journal.take().length, 0);
});
